"""Starts ranks, ends a process in order, and says why it failed: common to all programs of ranks."""
