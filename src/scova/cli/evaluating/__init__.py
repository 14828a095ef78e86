"""`scova eval`: how well search does on one's own repository."""
