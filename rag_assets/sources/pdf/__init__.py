"""PDFs as pages of lines and tables, as a reader sees them."""
