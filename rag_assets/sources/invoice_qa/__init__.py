"""Q&A booklets as PDF: one 問, one record."""
