"""Tests of the assets."""
