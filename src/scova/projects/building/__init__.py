"""A build in slices: what is to be done next, how far it is, and what it brought."""
