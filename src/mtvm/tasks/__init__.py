"""Episodes, metrics, baselines and result files."""
