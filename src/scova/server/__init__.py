"""The HTTP door: content is pushed here, and asked about. It walks no folder and opens no source; its data folder is all it knows."""
