"""Tests of rag_assets.settings."""
