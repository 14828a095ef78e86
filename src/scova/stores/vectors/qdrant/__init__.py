"""Vectors in a Qdrant server, over its REST interface."""
