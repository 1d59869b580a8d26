"""The home folder: where things lie, how they are written, and when they need not be made again."""
