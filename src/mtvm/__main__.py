"""`python -m mtvm` is `mtvm`."""

from mtvm.app.cli import main

main()
