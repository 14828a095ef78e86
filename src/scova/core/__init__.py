"""What every part builds upon: processes with bounds. Knows nothing of search, stores or sources."""
