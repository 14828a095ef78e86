"""What every room may need and that belongs to none: small mechanisms that know nothing of indexes."""
