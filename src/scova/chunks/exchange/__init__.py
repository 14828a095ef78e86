"""Chunks and what parsing learned, as files that anyone can read and write: how they are laid out, written, read and checked.

Described for people in docs/reference/exchange.md. Knows files and values; nothing of stores, indexes or how chunks are found.
"""
