"""Pages of the web: fetched politely and safely, turned into text, and kept on disk until a build reads them."""
