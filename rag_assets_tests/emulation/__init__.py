"""Tests of the emulated Knowledge Base, which `emulation/` holds."""
