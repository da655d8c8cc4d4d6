"""Policies by name: the baselines, the zero-shot agent, language models, and a user's own as MODULE:NAME."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from mtvm.acting.baselines import BASELINES, baseline_policy
from mtvm.acting.policy import Policy
from mtvm.acting.similar import MINILM, Similar
from mtvm.errors import InputError
from mtvm.plugins import is_object_name, load_object

LANGUAGE_MODEL = "llm:"
"""How the names of language models begin."""


_offered: dict[str, Callable[[], Policy]] = {}


def offer_policy(name: str, make: Callable[[], Policy]) -> None:
    """Let this process find a policy by a name; `make` makes another one each time."""
    _offered[name] = make


def is_policy_name(name: str) -> bool:
    """Whether a name is a baseline's, the zero-shot agent's, a language model's or of the form MODULE:NAME."""
    return name in (*BASELINES, MINILM) or is_language_model(name) or is_object_name(name)


def find_policy(name: str, seed: int = 0) -> Policy:
    """The policy of this name: a baseline, the zero-shot agent, a language model as llm:NAME, or the class or object
    MODULE:NAME; `seed` is the random baseline's."""
    if not is_policy_name(name):
        raise InputError(
            f"unknown agent '{name}'; give one of {', '.join((*BASELINES, MINILM))}, llm:NAME for a language model, or "
            "MODULE:NAME for your own."
        )
    if name in _offered:
        return _offered[name]()
    if is_language_model(name):
        from mtvm.llm.options import language_model

        return language_model(name)
    if name == MINILM:
        return Similar()
    found = baseline_policy(name, seed) if name in BASELINES else load_object(name, Policy, "agent")
    policy: Policy = made(found, name) if isinstance(found, type) else found
    policy.name = policy.name or name
    return policy


def made(kind: type[Policy], name: str) -> Policy:
    """A policy of this class; errors call it `name`."""
    if missing := sorted(getattr(kind, "__abstractmethods__", ())):
        raise InputError(f"agent '{name}': {kind.__name__} does not define {', '.join(missing)}.")
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise InputError(
            f"agent '{name}': {kind.__name__}() needs arguments ({error}); give them defaults, or name an object that "
            "was made with them."
        ) from None
    return kind()


def is_language_model(name: str) -> bool:
    """Whether a name is a language model's: llm:NAME."""
    return name.startswith(LANGUAGE_MODEL) and len(name) > len(LANGUAGE_MODEL)


def name_of(policy: Policy) -> str:
    """What results call a policy."""
    return policy.name or type(policy).__name__
