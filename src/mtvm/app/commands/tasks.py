"""`mtvm score`, `baseline`, `submit` and `data`: episodes and result files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from rich.markup import escape
from tyro.conf import Positional, arg

from mtvm.acting.baselines import Baseline, baseline_policy
from mtvm.acting.walk import walk_split
from mtvm.app.options import DataOption, SplitOption, SupervisionOption, Switch, TaskOption, console
from mtvm.app.tables import metrics_table, mistakes_table
from mtvm.errors import InputError
from mtvm.io.files import json_text, write_json
from mtvm.tasks.data import DataFolder
from mtvm.tasks.definitions import Codebase
from mtvm.tasks.episode import EpisodeSet
from mtvm.tasks.load import load_episodes
from mtvm.tasks.metrics import Floats, summarize
from mtvm.tasks.results import MissingIdsError, write_episode_table, write_results, write_submission
from mtvm.tasks.score import diagnosed
from mtvm.tasks.score import score as score_results


def score(
    results: Annotated[Positional[Path], arg(metavar="RESULTS", help="A result file (JSON).")],
    task: TaskOption = "r2r",
    split: SplitOption = "val_unseen",
    data: DataOption = None,
    supervision: SupervisionOption = "mixed",
    json_: Annotated[Switch, arg(name="json", help="Print one JSON object instead of the table.")] = False,
    csv: Annotated[Path | None, arg(metavar="FILE", help="Also write the metrics of every episode as CSV.")] = None,
    partial: Annotated[Switch, arg(help="Accept missing episodes and score the rest.")] = False,
    definitions: Annotated[
        Codebase, arg(help="The codebase whose definitions of success and SPL are used; docs/data.md compares them.")
    ] = "leaderboard",
    by: Annotated[
        str | None, arg(metavar="FIELD", help="Also score the episodes of each value of this field, as RxR's language.")
    ] = None,
    errors: Annotated[
        Switch, arg(help="Also count where it went wrong; the CSV gets the mistake of each episode and its move.")
    ] = False,
) -> None:
    """Score a result file: SR, SPL, nDTW and other metrics.

    All metrics: NE, SR, OSR, SPL, TL, nDTW, SDTW, CLS and goal progress; rates are in percent, lengths in metres. Ids,
    starts and edges are checked as on the leaderboards.
    """
    episodes = load_episodes(task, split, data, supervision=supervision)
    try:
        scored, columns = score_results(results, episodes, partial=partial, definitions=definitions)
    except MissingIdsError as error:
        raise InputError(f"{error} Use --partial to score only the others.") from None
    diagnosis = diagnosed(results, scored, columns) if errors else None
    if csv is not None:
        more: dict[str, Sequence[object]] = (
            {} if diagnosis is None else {"mistake": diagnosis.names(), "move": diagnosis.moves()}
        )
        write_episode_table(csv, scored, columns, more=more)
    means, parts = summarize(columns), {} if by is None else _by(by, scored, columns)
    if json_:
        found: dict[str, object] = {**means}
        found |= {} if by is None else {f"by {by}": parts}
        print(json_text(found | ({} if diagnosis is None else {"mistakes": diagnosis.counts()})))
        return
    named = f"{episodes.name} ({supervision})" if episodes.task.has_supervision else episodes.name
    defined = "" if definitions == "leaderboard" else f", as {definitions.upper()} defines them"
    title = f"{results.name} on {named}: {len(scored)} of {len(episodes)} episodes{defined}"
    console.print(metrics_table(title, episodes.task.metrics_in(means), {"": means} | parts))
    if diagnosis is not None:
        console.print(mistakes_table(diagnosis.counts(), len(scored)))


def _by(field: str, episodes: EpisodeSet, columns: dict[str, Floats]) -> dict[str, dict[str, float]]:
    """The means of the episodes of each value of one of their fields."""
    if field not in episodes.extra:
        known = ", ".join(sorted(episodes.extra)) or "none"
        raise InputError(f"the episodes of {episodes.name} have no field '{field}'; they have {known}.")
    values = np.array([str(value) for value in episodes.extra[field]])
    return {
        str(value): summarize({name: column[values == value] for name, column in columns.items()})
        for value in np.unique(values)
    }


def baseline(
    agent: Annotated[Positional[Baseline], arg(help="The baseline agent.")],
    task: TaskOption = "r2r",
    split: SplitOption = "val_unseen",
    data: DataOption = None,
    supervision: SupervisionOption = "mixed",
    seed: Annotated[int, arg(help="Seed of the random agent.")] = 0,
    out: Annotated[Path | None, arg(metavar="FILE", help="Default: AGENT_TASK_SPLIT.json in this folder.")] = None,
) -> None:
    """Run a baseline on a split and write its result file.

    random: R2R's random agent, up to 11 right turns, then five forward moves. forward: five forward moves. shortest:
    the shortest path to the end of the reference path, or to where stopping is right, with the right answer. stop:
    stays at the start.
    """
    episodes = load_episodes(task, split, data, supervision=supervision)
    path = out or Path(f"{agent}_{episodes.task.name}_{episodes.split}.json")
    walks = walk_split(baseline_policy(agent, seed), episodes)
    answers = walks.answers if episodes.task.answer is not None and any(walks.answers) else None
    write_results(path, episodes, walks.trajectories(), answers)
    console.print(
        f"{len(episodes)} trajectories of {escape(episodes.name)} written to {escape(str(path))}", soft_wrap=True
    )


def submit(
    results: Annotated[Positional[Path], arg(metavar="RESULTS", help="A result file (JSON).")],
    task: TaskOption = "r2r",
    split: Annotated[str, arg(metavar="SPLIT", help="The leaderboard's split.")] = "test",
    data: DataOption = None,
    out: Annotated[
        Path | None, arg(metavar="FILE", help="The file to upload. Default: submission.json, of RxR submission.jsonl.")
    ] = None,
) -> None:
    """Check a result file and write the file to upload to EvalAI or RxR's leaderboard.

    As on the leaderboard, every id must occur exactly once, and each trajectory must begin at the episode's start and
    move along edges.
    """
    episodes = load_episodes(task, split, data)
    path = out or Path("submission.jsonl" if episodes.task.submission == "paths" else "submission.json")
    count = write_submission(results, path, episodes)
    console.print(f"{count} trajectories, complete and valid; upload {escape(str(path))}", soft_wrap=True)


def r4r(
    split: Annotated[Positional[str], arg(metavar="SPLIT", help="train, val_seen or val_unseen of R2R.")],
    data: DataOption = None,
    out: Annotated[Path | None, arg(metavar="FILE", help="Default: R4R_SPLIT.json beside the R2R file.")] = None,
    paths: Annotated[
        int | None,
        arg(
            metavar="N",
            help="Only N of its paths, drawn at random, always the same ones.",
            help_behavior_hint="(default: all)",
        ),
    ] = None,
) -> None:
    """Build R4R from R2R by joining paths.

    Two paths are joined if one starts within 3 m of the other's end.
    """
    from mtvm.tasks.r4r import build_r4r

    episodes = load_episodes("r2r", split, data)
    entries = build_r4r(episodes.source, episodes.world)
    if not entries:
        raise InputError(f"{episodes.source}: no path starts within 3 m of another's end, so R4R would be empty.")
    if paths is not None:
        if not 1 <= paths <= len(entries):
            raise InputError(f"--paths must lie from 1 to {len(entries)}, the paths of R4R {split}, not {paths}.")
        chosen = np.random.default_rng(0).permutation(len(entries))[:paths]
        entries = [entries[row] for row in sorted(chosen.tolist())]
    path = out or episodes.source.with_name(f"R4R_{episodes.source.stem.removeprefix('R2R_')}.json")
    write_json(path, entries)
    instructions = sum(len(entry["instructions"]) for entry in entries)
    console.print(f"{len(entries)} paths, {instructions} instructions written to {escape(str(path))}", soft_wrap=True)


def hold_out(
    out: Annotated[Positional[Path], arg(metavar="DIR", help="Folder for fit.json, held_out.json and val_seen.json.")],
    data: DataOption = None,
    scans: Annotated[
        Path | None,
        arg(metavar="FILE", help="The scans to hold out, one a line.", help_behavior_hint="(default: eight of R2R)"),
    ] = None,
    augmented: Annotated[
        tuple[Path, ...], arg(metavar="FILE", help="Augmented files, to be written without these scans too.")
    ] = (),
    task: Annotated[str, arg(metavar="TASK", help="r2r, or reverie, whose files have R2R's form.")] = "r2r",
) -> None:
    """Hold out buildings of R2R's training split, or of REVERIE's, to choose settings on.

    Train with --data.train r2r/DIR/fit.json and validate with --selection.split r2r/DIR/held_out.json, so that
    val_unseen is looked at only once, by the final agent.
    """
    from mtvm.tasks.hold_out import held_out_scans
    from mtvm.tasks.hold_out import hold_out as split_up
    from mtvm.tasks.registry import find_task

    counts = split_up(DataFolder.resolve(data), held_out_scans(scans), out, augmented, find_task(task))
    for name, count in counts.items():
        console.print(f"{count:,} instructions written to {escape(str(out / name))}", soft_wrap=True)
