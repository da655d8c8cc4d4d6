"""Small worlds for tests."""
