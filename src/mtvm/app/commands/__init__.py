"""The commands by subject. Each parses, calls the library and prints; what is heavy is imported when it is used."""
