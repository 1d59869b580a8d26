"""One module a source, bytes to Records, and what the sources share."""
