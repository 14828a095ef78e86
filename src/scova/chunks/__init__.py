"""What both paths share: the chunks at one moment, and who loads and swaps them."""
