"""Routes by subject. Each reads its words, calls one method and shapes what it gives; none decides anything."""
