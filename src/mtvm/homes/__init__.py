"""Generated buildings, written to disk in the formats of the real data."""
