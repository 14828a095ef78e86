"""`scova serve` and `scova token`: a server for teams, and who may use it."""
