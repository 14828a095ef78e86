"""HTML into Markdown-like text: bytes to characters, characters to a tree of bounded depth, the tree to lines."""
