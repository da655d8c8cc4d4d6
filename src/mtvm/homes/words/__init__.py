"""From paths through a home to instructions and dialogs."""
