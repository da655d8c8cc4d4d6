"""From the name of a language model and options to a policy."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Annotated

from tyro.conf import arg

from mtvm.acting.find import LANGUAGE_MODEL
from mtvm.acting.policy import Policy, Want
from mtvm.errors import InputError
from mtvm.llm.agent import LanguageModel
from mtvm.llm.cache import AnswerCache
from mtvm.llm.client import API, Endpoint, Model
from mtvm.llm.costs import Budget, read_prices
from mtvm.llm.protocols import read_protocol
from mtvm.llm.stub import STUB, Stub

DEFAULT_SIGHT: tuple[Want, ...] = ("captions",)
IN_HOMES: tuple[Want, ...] = ("objects", "rooms")
"""What there is to see in the built-in homes that ship with the package."""


@dataclasses.dataclass(frozen=True)
class LanguageOptions:
    """For language models (llm:NAME) only."""

    api: Annotated[str | None, arg(metavar="URL", help_behavior_hint=f"(default: ${API})")] = None
    """Address of an endpoint that speaks OpenAI's chat completions."""
    protocol: Annotated[str, arg(metavar="NAME|FILE")] = "mtvm"
    """What the model is told and answers: mtvm, map, thought, object (for tasks that ask for one), or your own file."""
    see: Annotated[tuple[Want, ...], arg(help_behavior_hint="(default: captions)")] = ()
    """What it is told of each place. Objects and rooms were annotated by people, which results say."""
    advice: Annotated[str | None, arg(metavar="AGENT")] = None
    """A trained agent (folder or name) whose most probable actions are a part of the prompt."""
    concurrency: Annotated[int, arg(metavar="N")] = 4
    """Questions at the same time."""
    attempts: Annotated[int, arg(metavar="N")] = 3
    """How often a question is asked until an answer can be used."""
    max_tokens: Annotated[int, arg(metavar="N")] = 1000
    """The longest answer."""
    max_cost: Annotated[float | None, arg(metavar="DOLLARS", help_behavior_hint="(default: no limit)")] = None
    """Stop before more than this is spent."""
    prices: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="(default: the package's)")] = None
    """Dollars per million tokens, by model."""
    answers: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="(default: in the cache)")] = None
    """Where answers are kept, which are never paid for twice."""

    @property
    def given(self) -> list[str]:
        """The options that are not what they are by default, as they are written."""
        fields = dataclasses.fields(self)
        return [f"--{one.name.replace('_', '-')}" for one in fields if getattr(self, one.name) != one.default]

    @property
    def told(self) -> list[str]:
        """What tells its results from those of the same model as it is asked by default."""
        protocol = [] if self.protocol == LanguageOptions.protocol else [Path(self.protocol).stem]
        return [*protocol, *self.see, *([] if self.advice is None else [f"advice-{Path(self.advice).name}"])]


def language_model(name: str, options: LanguageOptions | None = None, adviser: Policy | None = None) -> LanguageModel:
    """The agent llm:NAME; the endpoint is $MTVM_LLM_API if no other is given."""
    options = options or LanguageOptions()
    return LanguageModel(
        _model(name.removeprefix(LANGUAGE_MODEL), options),
        read_protocol(options.protocol),
        tuple(dict.fromkeys(options.see)) or DEFAULT_SIGHT,
        concurrency=options.concurrency,
        attempts=options.attempts,
        adviser=adviser,
    )


def _model(name: str, options: LanguageOptions) -> Model:
    if not 1 <= options.max_tokens <= 100_000:
        raise InputError(f"--max-tokens must lie from 1 to 100,000, not {options.max_tokens}.")
    api = options.api or os.environ.get(API)
    if name == STUB:
        if options.api:
            raise InputError(
                f"{LANGUAGE_MODEL}{STUB} is built in and asks no server; leave --api out, or name a model of it."
            )
        return Stub()
    if not api:
        raise InputError(
            f"where is {name} to be asked? Give the address of an endpoint with --api, such as "
            f"http://localhost:11434/v1, or in ${API}; {LANGUAGE_MODEL}{STUB} needs none."
        )
    prices = read_prices(options.prices)
    return Endpoint(
        name,
        api,
        price=prices.get(name),
        budget=Budget(options.max_cost),
        cache=AnswerCache(options.answers),
        most_tokens=options.max_tokens,
    )
