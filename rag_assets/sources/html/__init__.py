"""HTML as a reader sees it."""
