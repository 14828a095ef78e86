"""`scova push`: a folder brought to a server."""
