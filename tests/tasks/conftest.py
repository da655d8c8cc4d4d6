"""Data folders that tests may change."""

import shutil

import pytest


@pytest.fixture
def folder(tiny_folder, tmp_path):
    """A copy of the tiny data folder, to change."""
    return shutil.copytree(tiny_folder, tmp_path / "data")
