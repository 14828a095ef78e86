"""What git decides about files, read from git's own files: no git executable is needed."""
