"""Agents of any kind that walk: what they are shown, what they decide, and the walk itself."""
