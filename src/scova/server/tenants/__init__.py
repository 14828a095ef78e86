"""The projects of a server: each an index of its own, opened when it is asked for, written by one at a time."""
