"""What happens to a request before anything of its body is looked at: a name, a place in the log, who asks, how much, how often."""
