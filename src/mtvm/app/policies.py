"""Agents that are no networks, with the options of the command line."""

from __future__ import annotations

from mtvm.acting.find import find_policy, is_language_model, offer_policy
from mtvm.acting.policy import Policy
from mtvm.configs.run import DataConfig
from mtvm.errors import InputError
from mtvm.llm.options import LanguageOptions


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
