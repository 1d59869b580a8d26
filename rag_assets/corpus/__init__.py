"""Records to chunks to files: what a Knowledge Base will read."""
