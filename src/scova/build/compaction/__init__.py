"""The graph over the vectors, brought up to date behind: when that is worth it, by whom, and how it becomes visible.

A build never waits for a graph and holds no lock while one is built; a query never builds one. The work is done by a
process of its own, which no other work shares an interpreter with: adding a million vectors takes minutes of computing
that give no other Python thread a turn, and as much memory as the graph is large.
"""
