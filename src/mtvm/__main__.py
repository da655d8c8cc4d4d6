"""`python -m mtvm` is `mtvm`."""

from mtvm.cli import main

main()
