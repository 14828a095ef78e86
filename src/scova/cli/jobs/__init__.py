"""`scova jobs` and `scova index --background`: background jobs at the command line."""
