"""Tests of rag_assets.sources.work_rules."""
