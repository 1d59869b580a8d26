"""A grid of ways to cut, to word and to search, each measured with the same questions."""
