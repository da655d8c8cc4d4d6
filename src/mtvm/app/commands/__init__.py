"""The commands by topic. Each one parses, calls the library and prints; heavy modules are imported on use."""
