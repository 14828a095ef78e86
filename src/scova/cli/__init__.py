"""The command-line door: words in, Python methods called, text or JSON out."""
