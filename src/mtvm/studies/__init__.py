"""The paper's tables and figures, and some more, each with one command: `mtvm study run NAME`."""
