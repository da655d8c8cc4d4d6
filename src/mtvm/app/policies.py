"""Agents that are no networks, with the options of the command line."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mtvm.acting.find import find_policy, is_language_model, offer_policy
from mtvm.acting.policy import Policy
from mtvm.configs.data import DataConfig
from mtvm.errors import InputError
from mtvm.llm.options import IN_HOMES, LanguageOptions
from mtvm.progress import notice


def policy_of(name: str, llm: LanguageOptions, data: DataConfig, seed: int = 0) -> Policy:
    """The agent of this name, a language model with its options."""
    if not is_language_model(name):
        check_not_given(llm)
        return find_policy(name, seed)
    from mtvm.llm.options import language_model

    adviser = None
    if llm.advice is not None:
        from mtvm.learning.agents import adviser_of

        adviser = adviser_of(llm.advice, data)
    return language_model(name, llm, adviser)


def where_models_walk(llm: LanguageOptions) -> tuple[Path, tuple[str, ...], LanguageOptions]:
    """Where a language model walks if nothing is said of it, and what it sees there: homes that ship with the
    package."""
    from mtvm.app.builtin import DATA, SPLITS, offer_builtin_pictures

    offer_builtin_pictures()
    notice("no split was named, so it walks in homes that ship with the package.")
    return DATA, SPLITS[:1], dataclasses.replace(llm, see=llm.see or IN_HOMES)


def offer_language_model(name: str, llm: LanguageOptions, data: DataConfig) -> None:
    """Let a language model be found by its name with these options, by all who talk to it."""
    from mtvm.llm.agent import LanguageModel

    policy = policy_of(name, llm, data)
    assert isinstance(policy, LanguageModel)
    offer_policy(name, policy.another)


def check_not_given(llm: LanguageOptions) -> None:
    """Refuse options of language models where there is none."""
    if llm.given:
        raise InputError(f"{llm.given[0]} is an option of language models, such as llm:gpt-4o-mini.")
