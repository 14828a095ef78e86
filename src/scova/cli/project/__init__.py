"""`scova project`: named projects, their sources, and their builds."""
