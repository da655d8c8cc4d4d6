"""Floor plans: where rooms, doors, furniture and viewpoints go."""
