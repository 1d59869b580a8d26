"""Tests of rag_assets.sources.csv_rows."""
