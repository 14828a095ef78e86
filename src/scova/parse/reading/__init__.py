"""From a parsed text to plain records: what a query's captures mean, which comment belongs to what, what to hide from a parser.

These modules know nodes and bytes; outline.py, above them, knows symbols.
"""
