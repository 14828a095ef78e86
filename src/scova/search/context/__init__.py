"""Everything that explains a place or a symbol, in as few tokens as asked for."""
