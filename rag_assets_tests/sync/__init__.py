"""Tests of rag_assets.sync."""
