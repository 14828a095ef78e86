"""Exhaustive search by pattern: every line of the indexed text that matches, as ripgrep finds them."""
