"""Tasks: episodes, teachers, rewards, metrics, baselines and result files."""
