"""An index out to exchange files, and in from them."""
