"""Question to ranked passages."""
