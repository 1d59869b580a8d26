"""Tests of rag_assets.s3."""
