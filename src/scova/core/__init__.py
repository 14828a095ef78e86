"""What every part of the program uses, and what knows none of them."""
