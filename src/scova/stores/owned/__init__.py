"""What in a folder is ours: the mark that says whose index lies there, and what may be removed."""
