"""The command line and what stands on it."""
