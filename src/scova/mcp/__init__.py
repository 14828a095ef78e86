"""THE MCP DOOR: what an agent can ask, over the Model Context Protocol."""
