"""Ways of finding: by words and by meaning. Each is immutable, exact over one moment, and a stranger to the other."""
