"""PDF files, page by page."""
