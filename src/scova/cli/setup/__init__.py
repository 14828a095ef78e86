"""The commands that set scova up, look whether it is set up well, and tell how it is used."""
