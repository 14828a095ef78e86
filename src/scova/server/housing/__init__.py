"""Where a server keeps everything: in its data folder, or in a database that other processes serve too. Chosen by a URL."""
