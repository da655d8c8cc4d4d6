"""mtvm: Vision-and-Language Navigation in plain Python."""

__version__ = "0.1.0"
