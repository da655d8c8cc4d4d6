"""What a view shows: stores of features, and how they are made."""
