"""Sources being read: what each kind has, fetched a batch at a time. Knows nothing of checkpoints."""
