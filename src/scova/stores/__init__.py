"""What is kept: the store (the truth), files derived from it, and the shared cache of embeddings."""
