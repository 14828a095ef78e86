"""What a pattern means: how it is read, and how it is matched."""
