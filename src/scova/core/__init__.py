"""What every part of the program does the same way with the system below it. Knows nothing of code search."""
