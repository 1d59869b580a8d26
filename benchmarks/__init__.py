"""Figures of time and memory, each printed by one command."""
