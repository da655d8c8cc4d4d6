"""The command line and the code behind it."""
