"""From the files that others publish to the formats that `features` reads; see docs/data.md."""
