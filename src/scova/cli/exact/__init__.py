"""Commands with exact answers: every match, every definition, every call."""
