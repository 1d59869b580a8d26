"""How bytes are fetched, politely and resumably, and kept."""
