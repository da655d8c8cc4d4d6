"""Reading and writing: files replaced in one step, locks, arrays, weights and configs checked before they are used."""
