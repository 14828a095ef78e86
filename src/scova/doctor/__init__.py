"""Is everything as it should be, and what is to be done where it is not? Looks at every part, mends nothing."""
