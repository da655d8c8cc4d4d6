"""The command line: parse, call, print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from tyro.conf import Positional, arg
from tyro.extras import SubcommandApp

import mtvm
from mtvm.errors import InputError
from mtvm.features.encoders import EncoderName
from mtvm.files import write_json
from mtvm.models.config import History
from mtvm.tasks.baselines import Baseline, run_baseline
from mtvm.tasks.data import DataFolder
from mtvm.tasks.load import Task, load_episodes
from mtvm.tasks.metric import EVALUATED, METRICS, describe_units
from mtvm.tasks.metrics import summarize
from mtvm.tasks.ndh import Supervision
from mtvm.tasks.results import MissingIdsError, write_episode_table, write_results, write_submission
from mtvm.tasks.results import score as score_results

app = SubcommandApp()
data_app = SubcommandApp()
features_app = SubcommandApp()
weights_app = SubcommandApp()
homes_app = SubcommandApp()
_DESCRIPTION = f"mtvm {mtvm.__version__}: Vision-and-Language Navigation in plain Python."

console = Console()

DataOption = Annotated[Path | None, arg(metavar="DIR", help="Data folder; default $MTVM_DATA.")]
TaskOption = Annotated[Task, arg(help="Which task's episodes and file names.")]
SupervisionOption = Annotated[Supervision, arg(help="NDH only: whose path is the reference.")]


@app.command
def demo(out: Path = Path("runs/demo"), homes: int = 36, seed: int = 0, updates: int | None = None) -> None:
    """Build the world that comes with the package, train an agent with memory and one without, and compare them.

    The scores stand in tables beside a random agent and the shortest path, and in OUT/report.html with curves and
    pictures. A demo that was stopped goes on where it was.

    Args:
        out: Folder for the runs, result files and the report; the world itself goes to the cache.
        homes: Fewer homes are built faster.
        seed: Another seed makes other homes and another random agent.
        updates: Train longer or shorter than the preset does.
    """
    from mtvm.app.demo import run_demo

    run_demo(out, homes, seed, console, updates)


@app.command
def doctor(data: DataOption = None) -> None:
    """Say what is installed, which data is found, which device is used, and what is missing with the remedy."""
    from mtvm.app.doctor import examine

    examine(data, console)


@app.command
def score(
    results: Annotated[Positional[Path], arg(metavar="RESULTS", help="A result file (JSON).")],
    task: TaskOption = "r2r",
    split: Annotated[
        str, arg(metavar="SPLIT", help="val_unseen, ... or the path of a file in that form.")
    ] = "val_unseen",
    data: DataOption = None,
    supervision: SupervisionOption = "mixed",
    json_: Annotated[bool, arg(name="json", help="Print one JSON object instead of the table.")] = False,
    csv: Annotated[Path | None, arg(metavar="FILE", help="Also write every episode's metrics as CSV.")] = None,
    partial: Annotated[bool, arg(help="Score the episodes that are there instead of asking for all.")] = False,
) -> None:
    """Score anyone's result file: NE, SR, OSR, SPL, TL, nDTW, SDTW, CLS and goal progress.

    Ids, starts and edges are checked as the leaderboards do. Rates are in percent, lengths in metres.
    """
    episodes = load_episodes(task, split, data, supervision=supervision)
    try:
        scored, columns = score_results(results, episodes, partial)
    except MissingIdsError as error:
        raise InputError(f"{error} --partial scores those that are there.") from None
    if csv is not None:
        write_episode_table(csv, scored, columns)
    means = summarize(columns)
    if json_:
        print(json.dumps({name: means[name] for name in EVALUATED}))
        return
    named = f"{episodes.name} ({supervision})" if task == "ndh" else episodes.name
    table = metrics_table(f"{results.name} on {named}: {len(scored)} of {len(episodes)} episodes")
    add_metrics_row(table, "", means)
    console.print(table)


@app.command
def baseline(
    agent: Annotated[Positional[Baseline], arg(help="Which agent walks.")],
    task: TaskOption = "r2r",
    split: Annotated[
        str, arg(metavar="SPLIT", help="val_unseen, ... or the path of a file in that form.")
    ] = "val_unseen",
    data: DataOption = None,
    supervision: SupervisionOption = "mixed",
    seed: Annotated[int, arg(help="For the random agent.")] = 0,
    out: Annotated[Path | None, arg(metavar="FILE", help="Default: AGENT_TASK_SPLIT.json in this folder.")] = None,
) -> None:
    """Walk a split with an agent that reads nothing, and write its result file.

    random: R2R's random agent, up to 11 turns to the right and five forward moves. forward: five forward moves.
    shortest: the shortest path to the end of the reference path. stop: stays at the start.
    """
    episodes = load_episodes(task, split, data, supervision=supervision)
    path = out or Path(f"{agent}_{task}_{episodes.split}.json")
    write_results(path, episodes, run_baseline(agent, episodes, seed))
    console.print(
        f"{len(episodes)} trajectories of {escape(episodes.name)} written to {escape(str(path))}", soft_wrap=True
    )


@app.command
def submit(
    results: Annotated[Positional[Path], arg(metavar="RESULTS", help="A result file (JSON).")],
    task: TaskOption = "r2r",
    split: Annotated[str, arg(metavar="SPLIT", help="The split that the leaderboard asks for.")] = "test",
    data: DataOption = None,
    out: Annotated[Path, arg(metavar="FILE", help="The file to upload.")] = Path("submission.json"),
) -> None:
    """Check a result file as the leaderboard does and write the file to upload to EvalAI.

    Every id must be there once, each trajectory begins at the episode's start and moves along edges.
    """
    count = write_submission(results, out, load_episodes(task, split, data))
    console.print(f"{count} trajectories are complete and legal; upload {escape(str(out))}", soft_wrap=True)


@data_app.command
def r4r(
    split: Annotated[Positional[str], arg(metavar="SPLIT", help="train, val_seen or val_unseen of R2R.")],
    data: DataOption = None,
    out: Annotated[Path | None, arg(metavar="FILE", help="Default: R4R_SPLIT.json beside the R2R file.")] = None,
) -> None:
    """Build R4R from R2R: join paths that end and begin within 3 m of each other."""
    from mtvm.tasks.r4r import build_r4r

    episodes = load_episodes("r2r", split, data)
    entries = build_r4r(episodes.source, episodes.world)
    if not entries:
        raise InputError(f"{episodes.source}: no path ends within 3 m of where another begins, so R4R would be empty.")
    path = out or episodes.source.with_name(f"R4R_{episodes.source.stem.removeprefix('R2R_')}.json")
    write_json(path, entries)
    instructions = sum(len(entry["instructions"]) for entry in entries)
    console.print(f"{len(entries)} paths, {instructions} instructions written to {escape(str(path))}", soft_wrap=True)


@features_app.command(name="import")
def import_(
    source: Annotated[Positional[Path], arg(metavar="SOURCE", help="TSV, HDF5 or .npz file of image features.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    width: Annotated[int | None, arg(help="Keep the first WIDTH numbers of each view.", metavar="WIDTH")] = None,
    scans: Annotated[tuple[str, ...], arg(help="Keep these scans; default all.", metavar="SCAN")] = (),
) -> None:
    """Convert others' image features once to a store that opens in milliseconds.

    Read are the ResNet TSV of R2R (also zipped), HDF5 and .npz files with a key <scan>_<viewpoint> for each 36 x width
    array. The store is one memory-mapped half-precision array with an index.
    """
    from mtvm.features.importing import import_features

    store = import_features(source, out, width=width, scans=set(scans) or None)
    console.print(f"{len(store)} viewpoints x 36 views x {store.width} written to {escape(str(out))}", soft_wrap=True)


@features_app.command
def extract(
    dataset: Annotated[Positional[Path], arg(metavar="SKYBOXES", help="Folder with <scan>/matterport_skybox_images.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    data: DataOption = None,
    encoder: Annotated[EncoderName, arg(help="The network that looks at the views.")] = "efficientnet-lite0",
    weights: Annotated[Path | None, arg(metavar="FILE", help="Checkpoint; resnet152 needs one.")] = None,
    size: Annotated[int | None, arg(metavar="PIXELS", help="Width of the views; default is the encoder's own.")] = None,
    scans: Annotated[tuple[str, ...], arg(help="Only these scans; default all with a graph.", metavar="SCAN")] = (),
    device: Annotated[str, arg(help="auto, cpu, cuda or cuda:N.")] = "auto",
    workers: Annotated[int | None, arg(metavar="N", help="Threads; default one a core.")] = None,
) -> None:
    """Draw the 36 views of every viewpoint from its skybox and encode them; a stopped run goes on where it was."""
    from mtvm.features.encoders import load_encoder
    from mtvm.features.extract import extract_features

    network = load_encoder(encoder, weights=weights, size=size, device=device)
    graphs = DataFolder.resolve(data).connectivity
    store = extract_features(dataset, graphs, out, network, scans=set(scans) or None, workers=workers)
    console.print(f"{len(store)} viewpoints x 36 views x {store.width} written to {escape(str(out))}", soft_wrap=True)


@features_app.command
def semantic(
    source: Annotated[Positional[Path], arg(metavar="JSONL", help="Semantics file: rooms and objects of viewpoints.")],
    out: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of the store to write.")],
    connectivity: Annotated[
        Path | None,
        arg(metavar="DIR", help="The graphs: with them a view also shows the rooms that are in sight."),
    ] = None,
    scans: Annotated[tuple[str, ...], arg(help="Only these scans; default all.", metavar="SCAN")] = (),
) -> None:
    """Turn the names of rooms and objects in each view into text embeddings: features without any picture."""
    from mtvm.features.names import semantic_features

    store = semantic_features(source, out, connectivity=connectivity, scans=set(scans) or None)
    console.print(f"{len(store)} viewpoints x 36 views x {store.width} written to {escape(str(out))}", soft_wrap=True)


@homes_app.command
def build(
    homes: Annotated[int, arg(help="How many homes.")] = 36,
    seed: Annotated[int, arg(help="Another seed makes other homes.")] = 0,
    out: Annotated[Path | None, arg(metavar="DIR", help="Default: a folder in the cache.")] = None,
    face_size: Annotated[int, arg(help="Pixels of a skybox face's edge.", metavar="PIXELS")] = 256,
    features: Annotated[
        Literal["all", "names", "none"],
        arg(help="Make features of images and names, of names only (no image is drawn), or none."),
    ] = "all",
    workers: Annotated[int | None, arg(metavar="N", help="Processes; default one a core.")] = None,
) -> None:
    """Build homes, panoramas, instructions, dialogs and features, in the formats of Matterport3D, R2R and NDH.

    A build that is stopped goes on where it was; one that is there already is checked and used.
    """
    from mtvm.homes.build import WorldConfig, build_world

    config = WorldConfig(homes=homes, seed=seed, face_size=face_size, features=features)
    folder = build_world(config, out, workers)
    console.print(f"The world is in {escape(str(folder))}; use it with --data or $MTVM_DATA.", soft_wrap=True)


@features_app.command
def info(store: Annotated[Positional[Path], arg(metavar="STORE", help="Folder of a feature store.")]) -> None:
    """Say what a feature store holds."""
    from mtvm.features.store import FeatureStore

    opened = FeatureStore.open(store)
    console.print(f"{len(opened)} viewpoints x 36 views x {opened.width}, half precision")
    console.print(f"made from {escape(str(opened.meta['source']))}, id {opened.meta['id']}", soft_wrap=True)


@app.command
def inspect(
    model: Annotated[
        Positional[str], arg(metavar="MODEL", help="A preset (paper, small, tiny, ...) or a saved agent.")
    ],
    words: Annotated[int, arg(help="WordPieces of the text.")] = 32,
    memory: Annotated[int, arg(help="Steps in the memory.")] = 4,
    candidates: Annotated[int, arg(help="Candidates of a step.")] = 5,
) -> None:
    """Show a model as a table: parameters, and floating-point operations of a step."""
    from mtvm.models.inspect import describe

    console.print(describe(model, words, memory, candidates))


@weights_app.command(name="import")
def import_weights(
    source: Annotated[Positional[Path], arg(metavar="SOURCE", help="Checkpoint file, or folder of a BERT model.")],
    out: Annotated[Positional[Path], arg(metavar="FOLDER", help="Folder for the agent.")],
    preset: Annotated[str, arg(help="The model to fill; sizes that the file tells are taken from it.")] = "paper",
    history: Annotated[History, arg(help="How the past enters the model.")] = "memory",
    seed: Annotated[int, arg(help="For what the file does not hold.")] = 0,
) -> None:
    """Turn other people's weights into an agent of ours, and say what was loaded and what was left out.

    Read are the authors' MTVM checkpoint, PREVALENT's pytorch_model.bin, Recurrent VLN-BERT (with --history recurrent),
    and folders of BERT-base or MiniLM. Code in a checkpoint is never run.
    """
    from mtvm.models.importing import import_agent

    console.print(import_agent(source, out, preset, history, seed), soft_wrap=True)


@weights_app.command(name="export")
def export_weights(
    agent: Annotated[Positional[Path], arg(metavar="AGENT", help="Folder of a saved agent.")],
    out: Annotated[Positional[Path], arg(metavar="FILE", help="File to write.")],
    format: Annotated[
        Literal["released", "program"],
        arg(help="released: the authors' checkpoint; program: the step by torch.export."),
    ] = "released",
) -> None:
    """Write an agent in the authors' format, or its step function as a program without Python."""
    from mtvm.models.importing import export_agent

    export_agent(agent, out, format)
    console.print(f"written to {escape(str(out))}", soft_wrap=True)


@weights_app.command
def parity(
    folder: Annotated[Positional[Path], arg(metavar="DIR", help="Folder with the three parity_* files.")],
    bound: Annotated[float, arg(help="Largest difference that passes.")] = 1e-4,
) -> None:
    """Compare our model, step by step, with a recorded computation of the released one."""
    from mtvm.models.parity import measure_parity

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    table.add_column("largest difference", justify="right")
    worst = measure_parity(folder)
    for kind, difference in worst.items():
        table.add_row(kind, f"{difference:.1e}")
    console.print(table)
    # Not a number is not within the bound either.
    if not all(difference <= bound for difference in worst.values()):
        raise InputError(f"{folder}: our model differs by more than {bound}.")
    console.print(f"All within {bound}.")


app.command(homes_app, name="homes", help="Build the world that comes with the package.")
app.command(data_app, name="data", help="Make task files from others.")
app.command(weights_app, name="weights", help="Bring other people's weights in, check them, and write them out.")
app.command(features_app, name="features", help="Bring image features into a store, and look at one.")


def simple_table(title: str, caption: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )


def metrics_table(title: str) -> Table:
    table = simple_table(title, describe_units(EVALUATED))
    table.add_column("")
    for name in EVALUATED:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def add_metrics_row(table: Table, name: str, means: dict[str, float]) -> None:
    table.add_row(escape(name), *(METRICS[metric].format(means[metric]) for metric in EVALUATED))


def _training(name: str) -> Callable[[list[str]], None]:
    """A command that needs torch even to describe its options; imported only when it is called."""

    def call(args: list[str]) -> None:
        from mtvm.app import training_commands

        getattr(training_commands, name)(args)

    return call


TRAINING = {"train": _training("train"), "resume": _training("resume"), "eval": _training("evaluate")}


@app.command
def train() -> None:
    """Train an agent: mtvm train PRESET [--any.option value]."""


@app.command
def resume() -> None:
    """Go on with a run that was stopped: mtvm resume RUN."""


@app.command(name="eval")
def eval_() -> None:
    """Evaluate a run's best agent: mtvm eval RUN [--split r2r/val_unseen ...]."""


@app.command
def runs(
    folder: Annotated[Positional[Path], arg(metavar="FOLDER", help="Where to look for runs.")] = Path("runs"),
    metric: Annotated[
        str | None,
        arg(metavar="NAME", help="Draw this instead: SPL, sample_success, gradient_norm, ..."),
    ] = None,
    json_: Annotated[bool, arg(name="json", help="Print one JSON object instead of tables and curves.")] = False,
) -> None:
    """List the training runs below a folder: how far they are, how they differ, and their curves.

    Drawn are the loss in training and the metric that chooses the best weights. A run that is not done and wrote
    something lately is 'running?', else 'stopped'.
    """
    from mtvm.app.runs import as_json, chosen_curves, find_runs
    from mtvm.app.runs_view import show

    found = find_runs(folder)
    curves = chosen_curves(found, folder, metric)
    if json_:
        print(json.dumps(as_json(found, curves, folder)))
    else:
        show(found, curves, console)


def main(args: list[str] | None = None) -> None:
    """Run the command line; a user's mistake is one sentence on stderr and exit code 2."""
    args = sys.argv[1:] if args is None else args
    if args == ["--version"]:
        print(f"mtvm {mtvm.__version__}")
        return
    try:
        if args and args[0] in TRAINING:
            TRAINING[args[0]](args[1:])
            return
        app.cli(prog="mtvm", description=_DESCRIPTION, args=args or ["--help"], config=(tyro.conf.FlagCreatePairsOff,))
    except InputError as error:
        print(f"mtvm: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        print("mtvm: interrupted", file=sys.stderr)
        sys.exit(130)
