"""What runs are made of, as plain dataclasses, and the runs that we know by name. Nothing here imports torch."""
