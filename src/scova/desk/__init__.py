"""What one user has on this machine, served to their own page: a folder, answered from its own index, and their named projects."""
