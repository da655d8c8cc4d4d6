"""Losses, rollouts and training."""
