"""The graph over many vectors: what it holds, how it is written, how it is searched, and whether it is stale."""
