"""The assets, a module a group."""
