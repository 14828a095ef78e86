"""How a text is cut into spans of whole lines that cover it exactly. Knows lines and symbols, not chunks."""
