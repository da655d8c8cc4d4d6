"""Many cases of one kind: `make test` takes some of them, `make test-all` all."""

import pytest


def thinned(cases, every):
    """All cases, as parameters, of which only one in so many is part of `make test`."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=[pytest.mark.slow] if number % every else []
        )
        for number, case in enumerate(cases)
    ]
