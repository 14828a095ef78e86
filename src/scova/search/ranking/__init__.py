"""Hits into an order: one scale for all opinions, names and paths as evidence, weights, and reasons."""
