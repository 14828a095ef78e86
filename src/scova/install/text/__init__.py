"""Texts changed in one place and nowhere else, so that the change can be undone to the byte. Knows no file and no client."""
