"""Rows of a CSV file: one row, one record."""
