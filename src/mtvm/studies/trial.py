"""A trial: one agent to train or to load, and where it is evaluated. Its folder is named by what it is made of.

OUT/trials/KEY/         a digest of options and data, then one of the code
  trial.json            what to do, for the process that does it
  run/                  the training run: config, record, best agent
  training.json         written when the training is done: seconds, peak memory, parameters
  evaluations/NAME/     results.json, records.jsonl and metrics.json, and every metric of every episode as episodes.csv
  log.txt, failure.txt  what the process printed, and why it failed
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import json
from pathlib import Path
from typing import Any

import mtvm
from mtvm.configs.data import DataConfig, Split
from mtvm.configs.run import TrainConfig
from mtvm.io.config_files import differences, from_plain, to_plain
from mtvm.io.files import check_links, read_json, write_json
from mtvm.learning.run_folder import BEST, CHECKPOINT
from mtvm.models.config import ModelConfig
from mtvm.models.saving import CONFIG, WEIGHTS
from mtvm.studies.data import StudyData, digest_of

_PLACES = (
    "out",
    "device",
    "log_every",
    "save_minutes",
    "tensorboard",
    "data.folder",
    "data.features",
    "data.guesser",
    "data.evaluate",
)
"""Options that say nothing about what is learnt, or only where it is."""
COST = "cost.json"
"""Of an evaluation: how many episodes it had, and the seconds that it took."""
TRAINED = (
    "updates",
    "best_update",
    "seconds",
    "seconds_per_update",
    "peak_memory_bytes",
    "parameters",
    "parameters_as_table5",
)
"""What is in training.json."""
_CODE = ("world", "features", "tasks", "models", "learning", "configs", "studies/conditions.py")
"""What an agent's training and evaluation depend on."""


@dataclasses.dataclass(frozen=True)
class Evaluated:
    """A split to evaluate on, as it is or in a changed condition."""

    name: str
    """Of its folder."""
    split: str
    condition: str | None = None
    memory_steps: int | None = None
    """How many of the last steps are in memory; None for as many as in training."""


@dataclasses.dataclass(frozen=True)
class Trial:
    folder: Path
    arm: str
    preset: str
    seed: int
    data: DataConfig
    evaluations: tuple[Evaluated, ...]
    config: TrainConfig | None = None
    """What to train; None for an agent that is given."""
    agent: Path | None = None
    device: str = "auto"
    fold: int | None = None
    """Which of the parts of the buildings is new to the agent, from 1."""

    @property
    def name(self) -> str:
        seed = "" if self.config is None else f", seed {self.seed}"
        fold = "" if self.fold is None else f", fold {self.fold}"
        return f"{self.arm} ({self.preset}{seed}{fold})"

    @property
    def code(self) -> str:
        """The version of the code that does it."""
        return self.folder.name.rpartition("-")[2]

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def training(self) -> Path:
        return self.folder / "training.json"

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def failure(self) -> Path:
        return self.folder / "failure.txt"

    def evaluation(self, one: Evaluated) -> Path:
        return self.folder / "evaluations" / one.name

    @property
    def is_done(self) -> bool:
        trained = self.config is None or self.training.is_file()
        return trained and all(self.evaluation(one).is_dir() for one in self.evaluations)

    def of_any_version(self) -> Trial:
        """The same trial, or if it is not done, one that another version of the code has done."""
        if self.is_done:
            return self
        content = self.folder.name.removesuffix(f"-{self.code}")
        others = [dataclasses.replace(self, folder=one) for one in sorted(self.folder.parent.glob(f"{content}-*"))]
        return next((other for other in others if other.is_done), self)

    def save(self) -> Path:
        """Write down what to do, where it is to be done."""
        check_links(self.folder, ["."])  # all that is written there
        path = self.folder / "trial.json"
        write_json(path, to_plain(self), indent=1)
        return path

    @classmethod
    def load(cls, path: Path) -> Trial:
        trial: Trial = from_plain(cls, read_json(path, "trial of a study"), path)
        return trial


@functools.cache
def code_version() -> str:
    """A digest of the code that trains and evaluates; comments and docstrings do not count."""
    package = Path(mtvm.__file__).parent
    files = [file for name in _CODE for file in ([package / name] if name.endswith(".py") else _modules(package, name))]
    return hashlib.sha256("".join(code_of(file.read_bytes()) for file in files).encode()).hexdigest()


def code_of(source: bytes) -> str:
    """What a module says to Python: its syntax tree without strings that nobody reads."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_plain_string(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_plain_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _modules(package: Path, name: str) -> list[Path]:
    return sorted((package / name).rglob("*.py"))


def key_of_run(config: TrainConfig, data: StudyData) -> str:
    """The digest of a training: its options, the content of its data, and the code."""
    defaults = TrainConfig(out=config.out, model=ModelConfig())
    changed = differences(defaults.to_dict(), config.to_dict())
    # What an option is by default is up to the code; a new one does not make old trials unknown.
    content: dict[str, Any] = {name: value for name, (_, value) in changed.items() if name not in _PLACES}
    content["data.train"] = [data.digest(text) for text in config.data.train]
    content["graphs"], content["seen"] = data.graphs, data.seen(config.data)
    content["selection.split"] = data.digest(config.selection.split)
    content["init"] = None if config.init is None else _digest_of_weights(config.init)
    return _key(content)


def key_of_agent(folder: Path, config: DataConfig, data: StudyData) -> str:
    """The digest of an agent that is given."""
    return _key([_digest_of_weights(folder), data.graphs, data.seen(config)])


def _digest_of_weights(path: Path) -> Any:
    """Of what `--init` or an agent's folder gives to a training; model cards and records of runs do not count."""
    if (path / CHECKPOINT).is_file():
        return digest_of(path / CHECKPOINT)
    for folder in (path, path / BEST):
        files = [folder / CONFIG, folder / WEIGHTS]
        if all(file.is_file() for file in files):
            return [digest_of(file) for file in files]
    return digest_of(path)


def name_of_evaluation(text: str, condition: str | None, data: StudyData, memory_steps: int | None = None) -> str:
    """Of the folder of an evaluation: by its name the split is known to people, by its digest to us."""
    split = Split.parse(text)
    parts = [split.task.name, Path(split.split).stem, *([condition.replace(" ", "-")] if condition else [])]
    parts += [] if memory_steps is None else [f"memory-{memory_steps}"]
    return "-".join([*parts, hashlib.sha256(data.digest(text).encode()).hexdigest()[:8]])


def _key(content: Any) -> str:
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return f"{digest[:12]}-{code_version()[:6]}"
