"""Dagster assets: each reads, calls one domain function, writes, and reports metadata."""
