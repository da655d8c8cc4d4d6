"""Rendering: from a home to its images and what is visible in them."""
