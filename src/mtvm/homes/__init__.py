"""Generated homes, written to disk in the formats of the real datasets."""
