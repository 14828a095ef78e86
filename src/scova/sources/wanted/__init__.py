"""What is wanted of a folder, by the settings of whoever indexes it."""
