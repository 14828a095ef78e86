"""What every part of the program does the same way with the system below it, and with texts. Knows nothing of code search."""
