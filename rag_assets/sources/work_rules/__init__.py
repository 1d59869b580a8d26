"""Work rules (就業規則) as PDF: one 条, one record."""
