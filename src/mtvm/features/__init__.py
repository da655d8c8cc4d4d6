"""Feature stores, and how they are made."""
