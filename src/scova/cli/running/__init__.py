"""Commands that take their time: how far they are, and how they end."""
