"""Instructions and dialogs for paths through a home."""
