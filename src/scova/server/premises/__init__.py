"""What a server is made of: where its projects are, who may come in, what is done in the background."""
