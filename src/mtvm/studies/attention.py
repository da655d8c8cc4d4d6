"""Figure 6: one instruction, with the consistency loss and without: trajectory, views, and attention over the words."""

from __future__ import annotations

from typing import Any

import numpy as np

from mtvm.errors import InputError
from mtvm.studies.blocks import Block, Figure, Text, metrics_table
from mtvm.studies.charts import COLOURS, figure_with_axes
from mtvm.studies.findings import Findings
from mtvm.studies.study import NO_CONSISTENCY, UNSEEN, Arm, Study
from mtvm.studies.watching import Watched, panoramas, watch

_WITH, _WITHOUT = "with consistency", "without consistency"
_ARMS = (_WITH, _WITHOUT)


def _draw(findings: Findings) -> list[Block]:
    table = metrics_table(findings, "The two agents", ("NE", "SR", "SPL"))
    if not all(findings.of(arm) for arm in _ARMS):
        return [table, Text("One of the two agents is missing, so there is nothing to compare.")]
    episodes = findings.episodes(UNSEEN)
    row = _choose(findings)
    found = {arm: _watch(findings, arm, row) for arm in _ARMS}
    episode = episodes[row]
    outcomes = {arm: _outcome(findings, arm, row) for arm in _ARMS}
    goals = episodes.goals[row][episodes.goals[row] >= 0].tolist()
    reference = episodes.references[row][episodes.references[row] >= 0].tolist()
    said = "; ".join(f"{arm}: {outcome}" for arm, outcome in outcomes.items())
    blocks: list[Block] = [
        table,
        Text(
            f"The episode {episode.id} of {UNSEEN} in {episode.scan}, of those that the agent with the loss solves the "
            f"one on which the two differ most in SPL: “{episode.text}” {said}."
        ),
        Figure("trajectories", "Trajectories from above", _maps(found, reference, goals), said),
    ]
    try:
        strips = {arm: panoramas(watched, findings.data.folder.path) for arm, watched in found.items()}
        blocks.append(Figure("views", "The view ahead at each step", _views(strips), said))
    except InputError as error:
        blocks.append(Text(f"There are no images to show the views: {error}"))
    title = "Attention over the words at each step"
    spread = ", ".join(f"{arm} {watched.evenness:.3f}" for arm, watched in found.items())
    blocks.append(Text(f"Evenness of attention over the WordPieces, 1 if all get the same: {spread}."))
    described = "; ".join(f"{arm}: most attended words {_most(watched)}" for arm, watched in found.items())
    return [*blocks, Figure("attention", title, _matrices(found), described)]


def _choose(findings: Findings) -> int:
    """The episode on which the first seeds differ most in SPL, of those that the agent with the loss solves."""
    ours, theirs = (findings.scores(arm, UNSEEN) for arm in _ARMS)
    assert ours is not None
    assert theirs is not None
    gain = ours.columns["SPL"][0] - theirs.columns["SPL"][0]
    return int(np.argmax(np.where(ours.columns["SR"][0] > 0, gain, -np.inf)))


def _watch(findings: Findings, arm: str, row: int) -> Watched:
    folder = findings.agent_folder(arm)
    assert folder is not None
    return watch(folder, findings.of(arm)[0].data, UNSEEN, row)


def _outcome(findings: Findings, arm: str, row: int) -> str:
    scores = findings.scores(arm, UNSEEN)
    assert scores is not None
    success, error, length = (scores.columns[name][0][row] for name in ("SR", "NE", "TL"))
    return f"{'arrives' if success else 'does not arrive'}, {length:.1f} m walked, {error:.1f} m from the goal"


def _maps(found: dict[str, Watched], reference: list[int], goals: list[int]) -> Any:
    """The building's graph from above, with the reference path and each agent's trajectory."""
    from matplotlib.collections import LineCollection

    figure, axes = figure_with_axes((8.2, 4.4), 1, len(found))
    for (arm, watched), plot in zip(found.items(), axes, strict=True):
        world = watched.world
        scan = world.scan_of_node[watched.nodes[0]]
        edges = [
            world.positions[[node, neighbour], :2]
            for node in np.nonzero(world.scan_of_node == scan)[0]
            for neighbour in world.candidates[node, : world.degree[node]]
        ]
        plot.add_collection(LineCollection(edges, colors="#dddddd", linewidths=0.8, zorder=1))
        plot.plot(
            *world.positions[reference, :2].T, color=COLOURS[2], linewidth=5, alpha=0.45, label="reference", zorder=2
        )
        plot.plot(*world.positions[watched.nodes, :2].T, "-o", color=COLOURS[0], markersize=4, label="agent", zorder=3)
        plot.plot(*world.positions[watched.nodes[0], :2], "s", color="black", markersize=7, label="start", zorder=4)
        plot.plot(*world.positions[goals, :2].T, "*", color=COLOURS[1], markersize=13, label="goal", zorder=4)
        plot.set_aspect("equal")
        plot.axis("off")
        plot.set_title(arm)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def _views(strips: dict[str, list[Any]]) -> Any:
    longest = max(map(len, strips.values()))
    figure, axes = figure_with_axes((8.2, 0.98 * longest + 0.4), longest, len(strips))
    for place, plot in enumerate(axes):
        step, column = divmod(place, len(strips))
        arm, images = list(strips.items())[column]
        plot.axis("off")
        if step == 0:
            plot.set_title(arm)
        if step < len(images):
            plot.imshow(images[step])
            plot.text(4, 22, f"step {step}", color="white", fontsize=8, bbox={"facecolor": "black", "pad": 1.5})
    return figure


def _matrices(found: dict[str, Watched]) -> Any:
    """Words by steps, one matrix for each agent on the same scale."""
    most = max(watched.attention.max() for watched in found.values())
    words = len(next(iter(found.values())).words)
    figure, axes = figure_with_axes((6.4, 0.17 * words + 1.2), 1, len(found))
    for (arm, watched), plot in zip(found.items(), axes, strict=True):
        drawn = plot.imshow(watched.attention.T, cmap="cividis_r", vmin=0, vmax=most, aspect="auto")
        plot.set_xticks(range(len(watched.attention)), [str(step) for step in range(len(watched.attention))])
        plot.set_yticks(range(words), watched.words if plot is axes[0] else [""] * words, fontsize=7)
        plot.set(title=arm, xlabel="step")
        plot.grid(visible=False)
    figure.colorbar(drawn, ax=axes, label="attention of the chosen action", shrink=0.6)
    return figure


def _most(watched: Watched) -> str:
    return ", ".join(watched.words[place] for place in watched.attention.argmax(axis=1))


STUDY = Study(
    name="attention",
    title="What the consistency loss does to attention",
    source="Figure 6 of the paper",
    says=(
        "The paper: with the consistency loss the agent takes a shorter way and attends to the sub-instruction of each "
        "step; without it, it fails to."
    ),
    arms=(Arm(_WITH), Arm(_WITHOUT, NO_CONSISTENCY)),
    draw=_draw,
    shows=("NE", "SR", "SPL", "TL"),
    splits=(UNSEEN,),
    reference=_WITHOUT,
)
