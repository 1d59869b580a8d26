"""The command line: what a terminal is asked and shown."""
