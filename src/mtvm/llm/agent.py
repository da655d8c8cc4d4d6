"""A language model as a policy: at each step it is told in words (and pictures) what there is, and names a place.

An answer that cannot be used is told to the model, which may try again; after that the adviser decides, if there is
one, or the episode ends where it is.
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import io
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtvm.acting.find import LANGUAGE_MODEL
from mtvm.acting.navigator import at_starts
from mtvm.acting.policy import Decision, Decisions, Moves, Policy, Want, joined_track, track_of
from mtvm.acting.scenes import Scenes
from mtvm.acting.sights import Sight, Sights
from mtvm.acting.walk import Batch
from mtvm.errors import InputError, MissingExtraError
from mtvm.llm.answers import STOP, Answer, MalformedError, parse, schema
from mtvm.llm.cache import Reply
from mtvm.llm.client import AnswerError, Message, Model, estimated_tokens
from mtvm.llm.protocols import PROTOCOLS, Protocol, read_protocol
from mtvm.llm.words import ADVICE_NOTE, MOST_IMAGES, Journal, advice_of
from mtvm.progress import notice
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.metric import Metric

MEASURES = (
    Metric("questions", "", "lower", "How often the language model was asked."),
    Metric("malformed", "", "lower", "Answers of the language model that could not be used."),
    Metric("tokens.prompt", "", "lower", "Tokens that the language model read."),
    Metric("tokens.reply", "", "lower", "Tokens that the language model wrote."),
    Metric("cost", "$", "lower", "What the answers cost, whether they were asked for now or earlier."),
)
"""Of each episode: what its steps add up to."""
_GOES: dict[Moves, str] = {
    "candidates": "to the next places only",
    "map": "to any place that was seen",
    "turns": "forward or turns",
}
_JPEG_QUALITY = 85
_LONGEST_REPEATED = 4000
"""Letters of a malformed answer that are shown to the model again."""
_HOPELESS = 20
"""Steps without a usable answer, and none with one, after which nothing more is asked."""
_SAMPLED = 16
"""Episodes whose first prompts are measured for an estimate."""


@dataclasses.dataclass
class _Asked:
    """What came of a question."""

    answer: Answer | None = None
    reply: str = ""
    """The last one, as it was."""
    questions: int = 0
    problems: list[str] = dataclasses.field(default_factory=list)
    """What was wrong with each answer that could not be used."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float = 0.0

    def paid(self, reply: Reply, cost: float) -> None:
        self.reply = reply.text
        self.prompt_tokens += reply.prompt_tokens
        self.answer_tokens += reply.answer_tokens
        self.cost += cost


@dataclasses.dataclass(frozen=True)
class _Question:
    """What is asked about one agent at one step."""

    journal: Journal
    labels: list[str]
    messages: list[Message]
    advised: list[float] | None
    """The adviser's probability of each label."""


class LanguageModel(Policy):
    """Asks `model` by a `protocol`; it `sees` what is named so in `Policy.wants`.

    `adviser` is another policy, which moves in the same way and knows probabilities: its `advice` most probable actions
    are a part of the prompt. So many questions are asked at the same time as `concurrency` says, and the same one up to
    `attempts` times.
    """

    def __init__(
        self,
        model: Model,
        protocol: Protocol,
        sees: Sequence[Want] = ("captions",),
        *,
        concurrency: int = 4,
        attempts: int = 3,
        adviser: Policy | None = None,
        advice: int = 3,
    ) -> None:
        for name, number, most in (
            ("concurrency", concurrency, 256),
            ("attempts", attempts, 10),
            ("advice", advice, 100),
        ):
            if not 1 <= number <= most:
                raise InputError(f"{name} must lie from 1 to {most}, not {number}.")
        if adviser is not None and adviser.moves != protocol.moves:
            fitting = [name for name in PROTOCOLS if read_protocol(name).moves == adviser.moves]
            use = f"use --protocol {' or '.join(fitting)}" if fitting else "no protocol of the package does that"
            goes = f"goes {_GOES[protocol.moves]}, but the adviser {_GOES[adviser.moves]}"
            raise InputError(f"protocol {protocol.name} {goes}; {use}.")
        if "images" in sees:
            _require_pillow()
        self.name = f"{LANGUAGE_MODEL}{model.name}"
        self.model, self.protocol, self.adviser = model, protocol, adviser
        self.moves, self.wants = protocol.moves, tuple(sees)
        self.batch = 4 * concurrency
        self._concurrency, self._attempts, self._advice = concurrency, attempts, advice
        self._most_steps: int | None = None
        self._usable, self._hopeless = False, 0
        """Whether an answer could ever be used, and the steps without one until then."""

    @property
    def measures(self) -> tuple[Metric, ...]:  # type: ignore[override]
        """The cost only where it is known."""
        return tuple(one for one in MEASURES if one.name != "cost" or self.model.price is not None)

    @property
    def track(self) -> str:
        """That of what it reads and of its adviser, who may see more."""
        own = track_of(self.wants)
        return own if self.adviser is None else joined_track(own, self.adviser.track)

    def another(self) -> LanguageModel:
        """The same for another walk at the same time; model and budget are shared."""
        made = copy.copy(self)
        made.adviser = copy.copy(self.adviser)
        return made

    def prepare(self, episodes: EpisodeSet, scenes: Scenes, most_steps: int) -> None:
        self._most_steps = most_steps
        task = episodes.task
        if task.answer is not None and "answer" not in self.protocol.fields:
            how = "; --protocol object --see objects rooms does" if task.answer == "object" else ""
            notice(f"{task.title} wants an answer, for which protocol {self.protocol.name} does not ask{how}.")
        notice(self.estimate(episodes, scenes))
        if self.adviser is not None:
            self.adviser.prepare(episodes, scenes, most_steps)

    def start(self, episodes: EpisodeSet) -> None:
        self._points = episodes.task.answer == "object"
        self._journals = [Journal(self.wants) for _ in range(len(episodes))]
        if self.adviser is not None:
            self.adviser.start(episodes)

    def act(self, sights: Sights) -> list[Decision]:
        decided = self._decided(self._questions(sights))
        self._check_hope(decided)
        return decided

    def _decided(self, questions: Sequence[_Question]) -> list[Decision]:
        if len(questions) == 1:
            return [self._decide(questions[0])]
        pool = ThreadPoolExecutor(min(self._concurrency, len(questions)), thread_name_prefix="llm")
        try:
            return list(pool.map(self._decide, questions))
        except BaseException:
            self.model.give_up()
            raise
        finally:  # whoever is asked now answers and is cached; nobody else is asked
            pool.shutdown(cancel_futures=True)
            self.model.go_on()

    def _check_hope(self, decided: Sequence[Decision]) -> None:
        """Stop before hundreds of questions are paid for, not one of whose answers can be used."""
        details = [one.details or {} for one in decided]
        useless = [one["problem"].split("; ")[-1] for one in details if one["malformed"] == one["questions"]]
        self._usable |= len(useless) < len(details)
        self._hopeless += len(useless)
        if not self._usable and self._hopeless >= _HOPELESS:
            raise InputError(
                f"{self.name}: in the first {self._hopeless} steps not one answer could be used (the last time: "
                f"{useless[-1]}). Try a larger --max-tokens, another --protocol or another model."
            )

    def estimate(self, episodes: EpisodeSet, scenes: Scenes) -> str:
        """What walking these episodes will take, as a sentence: by the prompts of some first steps, and as many steps
        as the references have."""
        rows = np.unique(np.linspace(0, len(episodes) - 1, _SAMPLED).astype(np.int64))
        some = episodes.select(rows)
        self._journals = [Journal(self.wants) for _ in rows]
        sights = Batch(some, at_starts(self.moves, some), scenes).look()
        first = float(np.mean([estimated_tokens(one.messages) for one in self._questions(sights, advised=False)]))
        steps = float(episodes.reference_lengths.mean()) if episodes.has_goals else _USUAL_STEPS
        questions = round(steps * len(episodes))
        tokens = first * (1 + _GROWTH * (steps - 1) / 2)
        said = (
            f"about {questions:,} questions in {len(episodes):,} episodes, with {tokens:,.0f} tokens each and "
            f"{questions * tokens / 1e6:,.2f} million in all"
        )
        if self.model.price is None:
            return f"{said}; what they cost is not known"
        likely = self.model.price.of(questions * tokens, questions * _USUAL_ANSWER)
        return f"{said}, for about ${likely:,.2f}; what was answered before costs nothing"

    def bill(self) -> str:
        """What was spent, as a sentence."""
        if self.model.price is None:
            return f"What it cost is not known; give the price of {self.model.name} in a file, with --prices."
        return f"Spent now: ${self.model.spent:.4f}; what was answered before is not paid for again."

    # Asking

    def _questions(self, sights: Sights, advised: bool = True) -> list[_Question]:
        advice = None
        if self.adviser is not None and advised:
            advice = Decisions.of(self.adviser.act(sights), sights, self.adviser)
            if advice.probabilities is None:
                raise InputError(f"{type(self.adviser).__name__} gives no probabilities, so that it cannot advise.")
        return [self._question(sight, advice) for sight in sights]

    def _question(self, sight: Sight, advice: Decisions | None) -> _Question:
        journal = self._journals[sight.row]
        journal.look(sight, int(sight.sights.taken[sight.place]))
        labels = journal.labels(sight)
        said = journal.values(sight, self._most_steps) | {"advice": "", "advice_note": ""}
        said |= {f"last_{name}": journal.last.get(name) or "(nothing yet)" for name in self.protocol.texts}
        advised = None
        if advice is not None:
            assert advice.probabilities is not None
            advised = advice.probabilities[sight.place, : len(labels)].tolist()
            said |= {"advice": advice_of(labels, advised, self._advice), "advice_note": ADVICE_NOTE}
        system, user = self.protocol.fill(said)
        content = self._with_images(user, sight, labels) if "images" in self.wants else user
        messages: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": content}]
        return _Question(journal, labels, messages, advised)

    def _with_images(self, text: str, sight: Sight, labels: Sequence[str]) -> list[dict[str, Any]]:
        """The text, then what is seen towards each place, the nearest first as the candidates are."""
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
        for candidate, label in list(zip(sight.candidates, labels, strict=False))[:MOST_IMAGES]:
            parts.append({"type": "text", "text": f"Towards place {label}:"})
            parts.append({"type": "image_url", "image_url": {"url": _jpeg(candidate.image)}})
        return parts

    def _decide(self, question: _Question) -> Decision:
        """Ask until there is an answer that can be used."""
        messages, form = list(question.messages), schema(question.labels, self.protocol.fields)
        asked = _Asked()
        while asked.answer is None and asked.questions < self._attempts:
            asked.questions += 1
            try:
                reply, cost = self.model.ask(messages, form)
            except AnswerError as error:
                asked.problems.append(str(error))
                continue
            asked.paid(reply, cost)
            try:
                asked.answer = parse(reply.text, question.labels, self.protocol.fields)
            except MalformedError as error:
                problem = self._cut(reply) or str(error)
                asked.problems.append(problem)
                messages += _told(reply.text, problem)
        return self._decision(question, asked)

    def _cut(self, reply: Reply) -> str:
        """That an answer is only the beginning of one, if so."""
        most = self.model.most_tokens
        return f"it was cut off after {most:,} tokens" if most is not None and reply.answer_tokens >= most else ""

    def _decision(self, question: _Question, asked: _Asked) -> Decision:
        answer, texts, thought = asked.answer, {}, "No answer could be used."
        if answer is None:
            answer = Answer(self._without_answer(question), {})
        else:
            texts = answer.texts
            lines = (one if name == "thought" else f"{name}: {one}" for name, one in texts.items() if one)
            thought = "\n".join(lines)
        question.journal.thought(texts)
        details: dict[str, Any] = {
            "model": self.model.name,
            "prompt": prompt_text(question.messages),
            "reply": asked.reply,
            "questions": asked.questions,
            "malformed": len(asked.problems),
            "tokens": {"prompt": asked.prompt_tokens, "reply": asked.answer_tokens},
            "places": question.labels[:-1],
        }
        if self.model.price is not None:
            details["cost"] = asked.cost
        if asked.problems:
            details["problem"] = "; ".join(asked.problems)
        return Decision(
            question.labels.index(answer.label),
            thought=thought or None,
            answer=self._answer(texts) if answer.label == STOP else None,
            details=details,
        )

    def _answer(self, texts: dict[str, str]) -> str | None:
        """What the task asks for; models say 'object 12' for 12."""
        said = texts.get("answer")
        return re.sub(r"(?i)^\s*object\s+|[\s.]+$", "", said) if said and self._points else said

    @staticmethod
    def _without_answer(question: _Question) -> str:
        """What is done if no answer can be used: the adviser's choice, or the end."""
        if question.advised is None:
            return STOP
        return question.labels[int(np.argmax(question.advised))]


_USUAL_STEPS = 6.0
"""For an estimate, where the references are secret: those of R2R have 6 on average."""
_USUAL_ANSWER = 120
"""Tokens of an answer, for an estimate."""
_GROWTH = 0.12
"""How much longer a prompt is a step later, as a share of the first, for an estimate: 0.05 to 0.15 on val_seen."""


def _told(text: str, problem: str) -> list[Message]:
    """What a model is told after an answer that cannot be used."""
    return [
        {"role": "assistant", "content": text[:_LONGEST_REPEATED] or "(nothing)"},
        {
            "role": "user",
            "content": f"Your answer cannot be used: {problem}. Answer again, with the JSON object alone.",
        },
    ]


def prompt_text(messages: Sequence[Message]) -> list[dict[str, str]]:
    """A conversation for reading, without its pictures."""
    read = []
    for message in messages:
        content = message["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        text = "\n".join(part.get("text", "[picture]") for part in parts)
        read.append({"role": message["role"], "content": text})
    return read


def _jpeg(pixels: NDArray[np.uint8]) -> str:
    from PIL import Image

    packed = io.BytesIO()
    Image.fromarray(pixels).save(packed, "JPEG", quality=_JPEG_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(packed.getvalue()).decode()}"


def _require_pillow() -> None:
    try:
        import PIL  # noqa: F401
    except ImportError:
        raise MissingExtraError("pillow", "render", "Showing pictures to a language model") from None
