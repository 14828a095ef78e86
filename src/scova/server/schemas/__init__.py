"""What requests and answers look like, for whoever reads the API and for those who check it."""
