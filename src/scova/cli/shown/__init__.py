"""What a search shows of a result, and says beside its results."""
