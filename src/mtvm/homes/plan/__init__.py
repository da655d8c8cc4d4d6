"""Where rooms, doors, furniture and viewpoints go."""
