"""Where documents come from: each source lists what it can read, reads it, and says what it leaves out and why."""
