"""`mtvm train`, `resume`, `eval` and `runs`."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import tyro
from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.acting.find import is_language_model, name_of
from mtvm.acting.policy import Policy
from mtvm.app.options import DeviceOption, Switch, absolute_split, console, with_absolute_paths
from mtvm.app.policies import check_not_given, policy_of, where_models_walk
from mtvm.app.tables import metrics_table, print_speaker
from mtvm.configs.data import BoxSight, DataConfig, Split
from mtvm.configs.presets import DESCRIPTIONS, PRESETS, PRETRAINING, RECIPES
from mtvm.configs.recipe import RecipeConfig, StageConfig
from mtvm.configs.run import SelectionConfig, TrainConfig
from mtvm.configs.speaker import SpeakerConfig
from mtvm.errors import InputError
from mtvm.io.files import json_text
from mtvm.learning.run_folder import RunFolder
from mtvm.llm.agent import LanguageModel
from mtvm.llm.options import LanguageOptions
from mtvm.machine import choose_device
from mtvm.models.parts import ArchitectureConfig, HistoryConfig, part
from mtvm.tasks.metric import Metric
from mtvm.tasks.ndh import Supervision

if TYPE_CHECKING:
    from mtvm.learning.trainer import TrainResult
    from mtvm.tasks.evaluation import Evaluation

AnyRun = TypeVar("AnyRun", TrainConfig, RecipeConfig)


def train_annotations(args: Sequence[str]) -> dict[str, Any]:
    """What `train` takes: a preset with its options, among them those of the parts that the command line names."""
    return {"config": Annotated[_type_of(PRESETS | RECIPES, args), arg(name="")]}


def pretrain_annotations(args: Sequence[str]) -> dict[str, Any]:
    """The same of `pretrain`."""
    return {"config": Annotated[_type_of(PRETRAINING, args), arg(name="")]}


def _type_of(presets: Mapping[str, Any], args: Sequence[str]) -> Any:
    parts: dict[str, Any] = {}
    for name, kind in {"architecture": ArchitectureConfig, "history": HistoryConfig}.items():
        if (chosen := _value_of(f"--model.{name}", args)) is not None:
            parts[name] = part(kind, chosen)

    def with_parts(preset: AnyRun) -> AnyRun:
        others = {name: one for name, one in parts.items() if getattr(preset.model, name).name != one.name}
        return dataclasses.replace(preset, model=dataclasses.replace(preset.model, **others))

    chosen_presets = {name: with_parts(preset) for name, preset in presets.items()}
    return tyro.extras.subcommand_type_from_defaults(chosen_presets, DESCRIPTIONS)


def _value_of(option: str, args: Sequence[str]) -> str | None:
    """What the command line says of an option, before it is parsed."""
    for place, text in enumerate(args):
        if text == option:
            return args[place + 1] if place + 1 < len(args) else None
        if text.startswith(f"{option}="):
            return text.partition("=")[2]
    return None


@dataclasses.dataclass(frozen=True)
class WhereData:
    """Where the data is, if it has moved since training."""

    folder: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="(default: the run's or $MTVM_DATA)")] = None
    """Data folder."""
    features: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="(default: the run's)")] = None
    """Feature store."""
    sight: Annotated[str | None, arg(metavar="SIGHT", help_behavior_hint="(default: the run's)")] = None
    """What the agent sees if there is no feature store: names, captions, ..."""
    guesser: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="(default: the agent's)")] = None
    """The networks that guess names from captions."""
    boxes: Annotated[BoxSight | None, arg(help_behavior_hint="(default: the run's)")] = None
    """What is known of the boxes of objects without people's names: views, detections."""

    def instead_of(self, data: DataConfig) -> DataConfig:
        """What a run reads, with these values instead of its own."""
        return dataclasses.replace(data, **{name: value for name, value in vars(self).items() if value is not None})


_AS_CONFIGURED = WhereData()
_AS_USUAL = LanguageOptions()


def train(config: Any) -> None:
    """Train an agent: mtvm train PRESET [--any.option value].

    See all options of a preset with 'mtvm train PRESET --help'. Some presets are recipes of several stages, each of
    which starts from the best weights of the one before. An existing run in the output folder is resumed. Ctrl-C saves
    and stops.
    """
    run(_with_absolute_paths(config))


def pretrain(config: TrainConfig) -> None:
    """Pretrain an agent on proxy tasks: mtvm pretrain PRESET [--any.option value].

    It learns the next action, words that are hidden, and which instruction belongs to a path. Then
    'mtvm train PRESET --init RUN/best' starts from what it learned.
    """
    run(_with_absolute_paths(config))


def resume(
    folder: Annotated[Positional[Path], arg(metavar="RUN", help="Folder of a run.")],
    data: WhereData = _AS_CONFIGURED,
    device: Annotated[
        str | None, arg(help="auto, cpu, cuda or cuda:N.", help_behavior_hint="(default: the run's)")
    ] = None,
) -> None:
    """Resume an interrupted run with its own config."""
    config = RunFolder(folder).resumed_config()
    device = config.device if device is None else device
    run(dataclasses.replace(config, data=data.instead_of(config.data), device=device))


def evaluate(
    folder: Annotated[
        Positional[Path | None],
        arg(metavar="[RUN]", help="Folder of a run or of a saved agent; or llm:NAME, a language model."),
    ] = None,
    agent: Annotated[
        str | None,
        arg(
            metavar="NAME",
            help="Instead of a run: your own agent, MODULE:NAME, a baseline (random, forward, shortest, stop), "
            "minilm (zero-shot, from captions), or a language model, llm:NAME.",
            help_behavior_hint="",
        ),
    ] = None,
    split: Annotated[
        tuple[str, ...],
        arg(
            metavar="TASK/SPLIT", help="r2r/val_unseen, ...", help_behavior_hint="(default: those of the run's config)"
        ),
    ] = (),
    attention: Annotated[Switch, arg(help="Also write where the model looked at every step.")] = False,
    limit: Annotated[
        int | None, arg(metavar="N", help="Only the first N episodes, written to a separate folder.")
    ] = None,
    sample: Annotated[
        int | None,
        arg(
            metavar="N",
            help="Only N episodes, drawn at random from all buildings in proportion; written to a separate folder.",
            help_behavior_hint="(default: all)",
        ),
    ] = None,
    seed: Annotated[int, arg(metavar="N", help="Seed of the sample, and of the random baseline.")] = 0,
    memory_steps: Annotated[
        int | None,
        arg(
            metavar="N",
            help="Let the agent remember only its last N steps; written to a separate folder.",
            help_behavior_hint="(default: as trained)",
        ),
    ] = None,
    looks: Annotated[
        int,
        arg(
            metavar="N",
            help="Test-time augmentation: average the predictions over 2, 4 or 8 mirrored and rotated copies of the"
            " building, for agents trained with --data.mirror and --data.turn; written to a separate folder.",
        ),
    ] = 1,
    supervision: Annotated[
        Supervision | None,
        arg(
            help="NDH: whose path is the reference; written to a separate folder.",
            help_behavior_hint="(default: the run's)",
        ),
    ] = None,
    data: WhereData = _AS_CONFIGURED,
    out: Annotated[
        Path | None,
        arg(metavar="DIR", help="Output folder.", help_behavior_hint="(default: RUN/eval, or runs/NAME/eval)"),
    ] = None,
    device: DeviceOption = "auto",
    llm: Annotated[LanguageOptions, arg(name="")] = _AS_USUAL,
) -> None:
    """Evaluate a run's best agent, a saved agent, an agent of your own, or a language model, on splits.

    Networks act greedily. A language model is asked at each step (docs/agents.md); 'mtvm eval llm:stub' tries it
    out without a server, in built-in homes. Writes to RUN/eval/TASK-SPLIT: results.json (for 'mtvm score' and the
    leaderboards), records.jsonl (text, trajectory and metrics of each episode), episodes.csv (their metrics alone,
    for 'mtvm compare'), steps.jsonl (candidates, probabilities and, with --attention, the attention on words and
    memory at each step, thoughts and answers; 'mtvm view' shows it) and metrics.json.
    """
    from mtvm.learning import parallel

    if (folder is None) == (agent is None):
        raise InputError("name what to evaluate: the folder of a run or agent, or --agent with a name, and not both.")
    if folder is not None and is_language_model(str(folder)) and not folder.exists():
        folder, agent = None, str(folder)
    told, in_homes = llm.told, False  # before anything is filled in
    if agent is not None and is_language_model(agent):
        if parallel.many():
            raise InputError("a language model is asked by one process, with --concurrency questions at a time.")
        in_homes = not split and data.folder is None
        if in_homes:
            homes, split, llm = where_models_walk(llm)
            data = dataclasses.replace(data, folder=homes, sight=data.sight or "names")
    else:
        check_not_given(llm)
    if folder is not None or parallel.many():
        parallel.start(choose_device(device))
    given = data.instead_of(DataConfig())
    who: Path | Policy = folder if folder is not None else policy_of(str(agent), llm, given, seed)
    if isinstance(who, Policy):
        out = out or Path("runs") / re.sub(r"[^\w.-]+", ".", " ".join([name_of(who), *told])) / "eval"
    try:
        _evaluate(
            who,
            split,
            data=given,
            attention=attention,
            limit=limit,
            sample=sample,
            seed=seed,
            memory_steps=memory_steps,
            looks=looks,
            supervision=supervision,
            out=out,
            device=device,
        )
    finally:
        parallel.finish()
    if in_homes and out is not None:
        run = out.parent if out.name == "eval" else out
        console.print(f"Watch it: mtvm view {run} --data {given.folder}", soft_wrap=True, markup=False, highlight=False)


def runs(
    folder: Annotated[Positional[Path], arg(metavar="FOLDER", help="Where to look for runs.")] = Path("runs"),
    metric: Annotated[
        str | None,
        arg(metavar="NAME", help="Draw this curve instead: SPL, sample_success, gradient_norm, ..."),
    ] = None,
    json_: Annotated[Switch, arg(name="json", help="Print one JSON object instead of tables and curves.")] = False,
) -> None:
    """List training runs: progress, differing options and curves.

    The curves show the training loss and the metric that selects the best weights. An unfinished run that wrote
    something recently is 'running?', otherwise 'stopped'.
    """
    from mtvm.app.runs import as_json, chosen_curves, find_runs
    from mtvm.app.runs_view import show

    found = find_runs(folder)
    curves = chosen_curves(found, folder, metric)
    if json_:
        print(json_text(as_json(found, curves, folder)))
    else:
        show(found, curves, console)


def _with_absolute_paths(config: AnyRun) -> AnyRun:
    """Make paths absolute, so that a run can be resumed from another folder or shell."""
    data, init = with_absolute_paths(config.data), config.init and config.init.absolute()
    if isinstance(config, RecipeConfig):
        stages = {name: _with_absolute_splits(stage) for name, stage in config.stages.items()}
        return dataclasses.replace(config, data=data, init=init, stages=stages)
    selection = _absolute_selection(config.selection)
    return dataclasses.replace(config, data=data, init=init, selection=selection)


def _with_absolute_splits(stage: StageConfig) -> StageConfig:
    train = tuple(map(absolute_split, stage.train))
    return dataclasses.replace(stage, train=train, selection=_absolute_selection(stage.selection))


def _absolute_selection(selection: SelectionConfig) -> SelectionConfig:
    return dataclasses.replace(selection, split=absolute_split(selection.split))


def run(config: TrainConfig | SpeakerConfig | RecipeConfig) -> None:
    """Train, then evaluate the best weights; after an interruption, print how to resume."""
    from mtvm.learning import parallel
    from mtvm.learning.trainer import train as train_run

    try:
        result = train_run(config, announce=_announce)
        if parallel.rank() == 0:
            console.print(_ending(config, result), soft_wrap=True)
        if result.finished and isinstance(config, SpeakerConfig):
            _evaluate_speaker(config)
        elif result.finished:
            splits = config.data.splits_to_evaluate()
            if isinstance(config, RecipeConfig):
                splits = _not_yet_evaluated(config.out, splits)
            if splits:
                _evaluate(config.out, splits, data=config.data, device=config.device)
    finally:
        parallel.finish()
    if not result.finished:
        sys.exit(130)


def _not_yet_evaluated(out: Path, splits: tuple[str, ...]) -> tuple[str, ...]:
    """A recipe looks at a split once; what was evaluated before an interruption is there."""
    folder = RunFolder(out)
    there = {text: folder.evaluation(Split.parse(text)) for text in splits}
    for text, place in there.items():
        if place.is_dir():
            _announce(f"{text}: evaluated already, in {place}")
    return tuple(text for text, place in there.items() if not place.is_dir())


def _announce(text: str) -> None:
    console.print(escape(text), soft_wrap=True, highlight=False)


def _ending(config: TrainConfig | SpeakerConfig | RecipeConfig, result: TrainResult) -> str:
    if not result.finished:
        where = escape(str(config.out))
        return f"Stopped after update {result.update}, everything is saved. Resume with: mtvm resume {where}"
    best = result.selection
    return (
        f"Trained {result.update} updates in {result.seconds / 60:.1f} minutes. Best {best.metric} on {best.split}: "
        f"{best.formatted} after update {best.update}, saved in {escape(str(result.folder.best))}."
    )


def _evaluate_speaker(config: SpeakerConfig) -> None:
    """Score what the speaker says of the validation split, and print it."""
    from mtvm.learning import parallel
    from mtvm.learning.speaking import evaluate_speaker

    if parallel.rank() == 0:
        print_speaker(evaluate_speaker(config.out, config.validate_on, config.data.folder))


def _evaluate(who: Path | Policy, splits: tuple[str, ...], **options: object) -> None:
    """Evaluate and print the metrics."""
    from mtvm.learning import parallel
    from mtvm.learning.evaluation import evaluate as evaluate_splits

    if isinstance(who, Path):
        from mtvm.models.importing import describe_import

        if (imported := describe_import(who)) is not None and parallel.rank() == 0:
            console.print(escape(imported), soft_wrap=True, highlight=False)
    title = name_of(who) if isinstance(who, Policy) else f"{who.name}: best agent"
    rows: dict[str, dict[str, float]] = {}
    measured: dict[str, Metric] = {}
    measures: dict[str, Metric] = {}

    def report(split: Split, done: Evaluation) -> None:
        if parallel.rank() != 0:
            return
        count = len(done.episodes)
        console.print(
            f"{escape(split.name)}: {count} episodes in {done.seconds:.1f} s ({count / done.seconds:.0f}/s), "
            f"written to {escape(str(done.folder))}",
            soft_wrap=True,
        )
        if means := done.metrics():
            rows[split.name] = means
            measured.update((metric.name, metric) for metric in done.measured)
            measures.update((metric.name, metric) for metric in done.measures)
            if said := _intervals(done):
                console.print(f"95% over buildings: {said}", soft_wrap=True, highlight=False)

    evaluate_splits(who, splits, report=report, **options)  # type: ignore[arg-type]
    if isinstance(who, LanguageModel):
        console.print(who.bill(), soft_wrap=True, markup=False, highlight=False)
    if rows:
        console.print(metrics_table(title, [one for one in measured.values() if one.name not in measures], rows))
    if measures:
        console.print(metrics_table(f"{title}: an episode", list(measures.values()), rows))


def _intervals(done: Evaluation) -> str:
    """Where the task's headline metrics lie, whichever buildings had been drawn; nothing if that cannot be known."""
    from mtvm.tasks import bootstrap

    world, columns = done.episodes.world, done.columns()
    said = []
    for metric in done.measured:
        if metric.name in done.episodes.task.headline_metrics:
            found = bootstrap.mean(bootstrap.Sample(columns[metric.name], world.scan_of_node[done.episodes.starts]))
            if found.is_known:
                parts = (metric.format(part) for part in (found.value, found.low, found.high))
                said.append("{} {} ({} to {})".format(metric.name, *parts))
    return ", ".join(said)
