"""`mtvm weights` and `mtvm inspect`: models and their weights."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from rich import box
from rich.markup import escape
from rich.table import Table
from tyro.conf import Positional, arg

from mtvm.app.options import console
from mtvm.errors import InputError


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Options of the model to change; 'mtvm train paper --help' explains them."""

    architecture: str | None = None
    bidirectional: Annotated[bool | None, arg(name="architecture.bidirectional")] = None
    history: str | None = None
    steps: Annotated[int | None, arg(name="history.steps")] = None
    panorama_layers: Annotated[int | None, arg(name="history.panorama-layers")] = None
    temporal_layers: Annotated[int | None, arg(name="history.temporal-layers")] = None
    hidden: int | None = None
    heads: int | None = None
    intermediate: int | None = None
    language_layers: int | None = None
    crossmodal_layers: int | None = None
    feature_width: int | None = None
    max_text: int | None = None

    def changes(self) -> dict[str, Any]:
        """Those that were given, by their names in a model's config."""
        part = {"bidirectional": "architecture"} | dict.fromkeys(
            ("steps", "panorama_layers", "temporal_layers"), "history"
        )
        given = {name: value for name, value in vars(self).items() if value is not None}
        return {f"{part[name]}.{name}" if name in part else name: value for name, value in given.items()}


_AS_IT_IS = Sizes()


def inspect(
    model: Annotated[
        Positional[str], arg(metavar="MODEL", help="A preset (paper, small, tiny, ...) or a saved agent.")
    ],
    words: Annotated[int, arg(help="Number of tokens in the text.")] = 32,
    memory: Annotated[int, arg(help="Number of steps in the memory.")] = 4,
    candidates: Annotated[int, arg(help="Number of candidates per step.")] = 5,
    sizes: Annotated[Sizes, arg(name="")] = _AS_IT_IS,
) -> None:
    """Show a model's parameters and FLOPs per step."""
    from mtvm.models.inspect import describe

    console.print(describe(model, words, memory, candidates, sizes.changes()))


def import_weights(
    source: Annotated[Positional[Path], arg(metavar="SOURCE", help="Checkpoint file, or folder of a BERT model.")],
    out: Annotated[Positional[Path], arg(metavar="FOLDER", help="Folder for the agent.")],
    preset: Annotated[str, arg(help="The model to fill; its sizes follow the file where possible.")] = "paper",
    history: Annotated[str, arg(help="How the model represents the past.")] = "memory",
    seed: Annotated[int, arg(help="Seed for weights that the file lacks.")] = 0,
) -> None:
    """Convert released weights to an agent.

    Reads the authors' MTVM checkpoint, PREVALENT's pytorch_model.bin, Recurrent VLN-BERT (an agent of architecture
    vlnbert), and folders of BERT-base or MiniLM; reports what was loaded and what was left out. Never runs code in a
    checkpoint.
    """
    from mtvm.models.importing import import_agent

    console.print(import_agent(source, out, preset, history, seed), soft_wrap=True)


def export_weights(
    agent: Annotated[Positional[Path], arg(metavar="AGENT", help="Folder of a saved agent.")],
    out: Annotated[Positional[Path], arg(metavar="FILE", help="File to write.")],
    format: Annotated[
        Literal["released", "program"],
        arg(help="released: the authors' checkpoint format; program: the step function as a torch.export program."),
    ] = "released",
) -> None:
    """Export an agent to the authors' format or torch.export."""
    from mtvm.models.importing import export_agent

    export_agent(agent, out, format)
    console.print(f"written to {escape(str(out))}", soft_wrap=True)


def parity(
    folder: Annotated[
        Positional[Path], arg(metavar="DIR", help="Folder with parity_*, vlnbert_* or released_loss_* files.")
    ],
    bound: Annotated[float, arg(help="Largest difference that passes.")] = 1e-4,
) -> None:
    """Compare our networks and losses with recorded ones.

    The recordings hold computations of the released code, step by step.
    """
    from mtvm.learning.parity import measure_parity

    found = measure_parity(folder)
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("recording", "output", "largest difference"):
        table.add_column(heading, justify="right" if heading == "largest difference" else "left")
    for title, differences in found.items():
        for place, (kind, difference) in enumerate(differences.items()):
            table.add_row("" if place else title, kind, f"{difference:.1e}")
    console.print(table)
    # NaN fails, too.
    wrong = [title for title, differences in found.items() if not all(d <= bound for d in differences.values())]
    if wrong:
        raise InputError(f"{folder}: the results differ from {wrong[0]} by more than {bound}.")
    worst = ", ".join(f"{title} {max(differences.values()):.1e}" for title, differences in found.items())
    console.print(f"All within {bound}; the largest differences: {worst}.", soft_wrap=True)


def release(
    run: Annotated[Positional[Path], arg(metavar="RUN", help="Folder of a run.")],
    out: Annotated[Positional[Path], arg(metavar="FOLDER", help="Folder to write.")],
    bits: Annotated[
        Literal[16, 8], arg(help="Of each weight: 16 is half precision; 8 halves the file once more, and rounds.")
    ] = 16,
) -> None:
    """Write a run's best agent as a small folder to pass on.

    It has the weights in few bits, the config and a model card with the run's evaluations. 'mtvm eval', 'mtvm
    view' and --init take it as they take the run.
    """
    from mtvm.learning.release import release as write

    folder = write(run, out, bits)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    console.print(f"{size / 1e6:.1f} MB written to {escape(str(folder))}", soft_wrap=True)


COMMANDS: dict[str, Callable[..., None]] = {
    "import": import_weights,
    "export": export_weights,
    "parity": parity,
    "release": release,
}
