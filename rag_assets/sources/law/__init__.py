"""Laws as e-Gov standard XML: one article, one record."""
