"""The report of a study in Markdown and HTML: tables and figures, what differs, and how everything was made."""

from __future__ import annotations

import base64
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import get_args

import numpy as np

import mtvm
from mtvm.configs.data import BLIND
from mtvm.io.files import atomic_path, read_bytes
from mtvm.io.report_page import escaped, page, paragraphs, section
from mtvm.machine import usable_cores
from mtvm.studies import charts
from mtvm.studies.blocks import Block, Figure, Row, Table, Text, formatted
from mtvm.studies.findings import Difference, Findings, differences
from mtvm.studies.keeping import TRIALS, keep
from mtvm.studies.plan import GIVEN, command_of
from mtvm.studies.published import BUILT_IN, SOURCE
from mtvm.studies.trial import Trial, code_version
from mtvm.tasks import bootstrap
from mtvm.tasks.metric import METRICS

MARKDOWN, PAGE, FIGURES = "report.md", "report.html", "figures"
_PACKAGES = ("torch", "numpy", "scipy", "transformers")
_LEFT = ' style="text-align: left; white-space: normal; vertical-align: top"'
_PIXELS_PER_INCH = 96  # of a screen, as browsers count

Section = tuple[str, list[Block]]


def write_report(
    findings: Sequence[Findings], every: Sequence[Trial], extra_files: dict[str, Path], command: str, date: str
) -> Path:
    """Write the report of a study, one `Findings` for each preset, all of it or nothing; its folder. It keeps what is
    done of `every` trial."""
    request = findings[0].request
    sections: list[Section] = []
    for one in findings:
        title = "Results" if len(findings) == 1 else f"Results: {one.preset}"
        drawn = one.study.draw(one)
        if one.data.is_built_in:
            drawn = [_without_published(block) if isinstance(block, Table) else block for block in drawn]
        sections.append((title, [*drawn, *_is_it_real(one)]))
    trials = list(dict.fromkeys(trial for one in findings for trial in one.trials))
    sections.append(("How it was made", _how(findings, trials, command, date)))
    with atomic_path(request.folder) as folder:
        folder.mkdir()
        for name, source in extra_files.items():
            shutil.copyfile(source, folder / name)
        for _, blocks in sections:
            for block in blocks:
                if isinstance(block, Figure):
                    charts.save(block.drawing, folder / FIGURES, block.name)
        keep(every, request.study.kept, folder)
        title, lead = f"{request.study.title}", _lead(findings)
        texts = {
            MARKDOWN: _markdown(title, lead, sections),
            PAGE: _html(title, lead, sections, folder),
            TRIALS: (folder / TRIALS).read_text(encoding="utf-8"),
        }
        for name, text in texts.items():
            (folder / name).write_text(_without_places(text, findings[0]), encoding="utf-8")
    return request.folder


def _without_published(table: Table) -> Table:
    """Without rows of the paper."""
    ours = tuple(row for row in table.rows if row.kind != "published")
    return table if ours == table.rows else replace(table, rows=ours, note=table.note.replace(SOURCE, BUILT_IN))


def _without_places(text: str, findings: Findings) -> str:
    """A report is for other people too, who have the data elsewhere."""
    request, data = findings.request, findings.data.config()
    text = text.replace(str(data.folder), "$MTVM_DATA")
    for given in (request.out, request.init):
        if given is not None:
            text = text.replace(str(given.absolute()), str(given))
    return text if data.features is None else text.replace(str(data.features), data.features.name)


def _lead(findings: Sequence[Findings]) -> str:
    """What is asked, what the paper says, and what came out."""
    study = findings[0].study
    parts = [f"{study.source}. {study.says}"]
    folds = sorted({trial.fold for one in findings for trial in one.trials if trial.fold is not None})
    if findings[0].request.folds and len(folds) < study.folds:
        parts.append(f"**So far: {len(folds)} of {study.folds} folds, {', '.join(map(str, folds))}.**")
    for one in findings:
        named = "" if len(findings) == 1 else f" ({one.preset})"
        found = differences(one)
        summary = [_summary(metric, [each for each in found if each.metric == metric]) for metric in study.metrics]
        if found:
            parts.append(f"Here{named}, against {study.reference} on {study.compared_on}. {' '.join(summary)}")
    return "\n\n".join(parts)


def _summary(metric: str, found: Sequence[Difference]) -> str:
    """What can be said of the arms in one metric."""
    arms = {
        verdict: [one.formatted() for one in found if one.verdict == verdict] for verdict in get_args(bootstrap.Verdict)
    }
    said = [f"{verdict}: {'; '.join(some)}" for verdict, some in arms.items() if some]
    return f"{metric}: {'. '.join(said)}."


# Is it real?


def _is_it_real(findings: Findings) -> list[Block]:
    study, found = findings.study, differences(findings)
    if not found:
        return []
    blocks: list[Block] = [Text(_caution(findings)), _difference_table(findings, found)]
    for metric in study.metrics:
        gains = {one.arm: one.gain for one in found if one.metric == metric}
        unit = "points" if METRICS[metric].is_rate else METRICS[metric].unit
        drawn = charts.draw_differences(gains, f"{metric}, {unit} above {study.reference}")
        said = "; ".join(f"{arm} {formatted(gain)}" for arm, gain in gains.items())
        title = f"Difference of {metric} from {study.reference} on {study.compared_on}"
        blocks.append(Figure(f"difference-{metric}-{findings.preset}", title, drawn, said))
    blocks.append(_profiles(findings))
    return blocks


def _caution(findings: Findings) -> str:
    study = findings.study
    scores = findings.scores(study.reference, study.compared_on)
    assert scores is not None
    buildings = len(set(scores.buildings))
    text = (
        f"Numbers in brackets are {bootstrap.LEVEL:.0%} intervals: a paired bootstrap that draws whole buildings "
        f"({buildings} in {study.compared_on}) and seeds. “Better” and “worse” are said of differences whose interval "
        "does not contain 0; with many arms, some are outside by chance."
    )
    if scores.seeds == 1:
        text += (
            " There is one seed: the intervals say how these agents would do in other buildings, not how agents of "
            "another training would."
        )
    return text


def _difference_table(findings: Findings, found: Sequence[Difference]) -> Table:
    study, rows = findings.study, []
    for one in found:
        scores = findings.scores(one.arm, study.compared_on)
        assert scores is not None
        decimals = METRICS[one.metric].decimals
        middle = bootstrap.interquartile_mean(scores.sample(one.metric))
        cells = (
            one.metric,
            formatted(one.gain, decimals),
            one.verdict,
            formatted(middle, decimals),
            formatted(one.probability, 2),
        )
        rows.append(Row(one.arm, cells))
    return Table(
        f"Is it real? Against {study.reference} on {study.compared_on}",
        ("metric", "difference", "verdict", "interquartile mean", "probability of improvement"),
        tuple(rows),
        first="arm",
        note=(
            "Interquartile mean: of the middle half of all buildings and seeds. Probability of improvement: that a new "
            f"agent of this arm beats one of {study.reference} in a building."
        ),
    )


def _profiles(findings: Findings) -> Figure:
    study = findings.study
    metric = next((name for name in study.metrics if METRICS[name].sign > 0), study.metrics[0])
    samples = {
        arm: scores.sample(metric)
        for arm in findings.arms
        if (scores := findings.scores(arm, study.compared_on)) is not None
    }
    tables = np.concatenate([sample.by_building.ravel() for sample in samples.values()])
    thresholds = np.linspace(tables.min() - 1, tables.max() + 1, 101).tolist()
    profiles = {arm: bootstrap.performance_profile(sample, thresholds).tolist() for arm, sample in samples.items()}
    drawn = charts.draw_profiles(profiles, thresholds, f"{metric} in a building ({METRICS[metric].unit})")
    title = f"Performance profiles on {study.compared_on}"
    said = "; ".join(f"{arm}: median {np.median(sample.by_building):.1f}" for arm, sample in samples.items())
    return Figure(f"profiles-{findings.preset}", title, drawn, said)


# How it was made


def _how(findings: Sequence[Findings], trials: Sequence[Trial], command: str, date: str) -> list[Block]:
    request, failed = findings[0].request, findings[0].failed
    data = findings[0].data.config()
    sight = f"features of {data.features}" if data.features else f"sight from {data.sight}"
    if data.features is None and data.sight != BLIND:
        sight += f" ({data.track})"
    facts = [
        ("command", command),
        ("date", date),
        ("budget", f"{request.budget.name}: {request.budget.meaning}"),
        ("data", f"{data.folder}, {sight}"),
        ("seeds", str(request.seed_count)),
        ("weights selected on", ", ".join(sorted({t.config.selection.split for t in trials if t.config is not None}))),
        ("mtvm", f"{mtvm.__version__}, git {git_version()}, {_code(trials)}"),
        ("environment", _environment()),
    ]
    blocks: list[Block] = [Table("", ("",), tuple(Row(name, (value,)) for name, value in facts), prose=True)]
    rows = []
    for trial in trials:
        ended = "failed twice" if trial.folder.name in failed else "done"
        rows.append(Row(trial.name, (ended, trial.folder.name, command_of(trial))))
    note = "Configs are in trials.json, metrics of episodes in episodes.csv.xz; each trial's folder has its agent."
    columns = ("outcome", "folder in trials/", "command")
    blocks.append(Table("Trials", columns, tuple(rows), first="trial", note=note, prose=True))
    names = {trial.folder.name: trial.name for trial in trials}
    blocks += [Text(f"Left out: {names.get(key, key)}: {reason}") for key, reason in failed.items()]
    if any(trial.preset == GIVEN for trial in trials):
        blocks.append(
            Text("Agents that were given are evaluated as they are; nothing is known here of their training.")
        )
    return blocks


def _code(trials: Sequence[Trial]) -> str:
    """The version of the code that trained and evaluated; several, if trials of others were taken."""
    ours = code_version()[:6]
    others = sorted({trial.code for trial in trials} - {ours})
    return f"code {ours}" + (
        f"; trials of other versions of the code were taken: {', '.join(others)}" if others else ""
    )


def git_version() -> str:
    """Of the source code, if it is in a repository; "dirty" if it was changed since."""
    try:
        version = _git("describe", "--always", "--abbrev=12")
        changed = _git("status", "--porcelain", "--", ".")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{version}-dirty" if changed else version


def _git(*arguments: str) -> str:
    place = Path(mtvm.__file__).parent
    return subprocess.run(["git", *arguments], cwd=place, capture_output=True, text=True, check=True).stdout.strip()


def _environment() -> str:
    versions = [f"{name} {metadata.version(name)}" for name in _PACKAGES]
    return f"Python {platform.python_version()}, {', '.join(versions)}, {platform.machine()}, {usable_cores()} cores"


# Markdown


def _markdown(title: str, lead: str, sections: Sequence[Section]) -> str:
    parts = [f"# {title}", lead]
    for name, blocks in sections:
        parts += [f"## {name}", *map(_markdown_block, blocks)]
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: Block) -> str:
    if isinstance(block, Text):
        return block.text
    if isinstance(block, Figure):
        return f"### {block.title}\n\n![{block.described}]({FIGURES}/{block.name}.svg)"
    names = [f"{group} {name}".strip() for group, name in zip(_spread(block), block.columns, strict=True)]
    lines = [_markdown_row([block.first, *names]), "|---" * (len(names) + 1) + "|"]
    for row in block.rows:
        cells = [f"**{cell}**" if place in row.best else cell for place, cell in enumerate(row.cells)]
        cells += [""] * (len(names) - len(cells))
        lines.append(_markdown_row([_label(row), *cells]))
    parts = [f"### {block.title}" if block.title else "", "\n".join(lines), block.note]
    return "\n\n".join(part for part in parts if part)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _label(row: Row) -> str:
    return f"{row.label}, as published" if row.kind == "published" else row.label


def _spread(table: Table) -> list[str]:
    """The group of each column."""
    if not table.groups:
        return [""] * len(table.columns)
    return [name for name, count in table.groups for _ in range(count)]


# HTML


def _html(title: str, lead: str, sections: Sequence[Section], folder: Path) -> str:
    made = []
    for number, (name, blocks) in enumerate(sections, 1):
        content = "\n".join(_html_block(block, folder) for block in blocks)
        made.append(section(f"part-{number}", escaped(name), content))
    return page(title, lead, made, f"mtvm {mtvm.__version__}")


def _html_block(block: Block, folder: Path) -> str:
    if isinstance(block, Text):
        return paragraphs(block.text)
    if isinstance(block, Figure):
        picture = base64.b64encode(read_bytes(folder / FIGURES / f"{block.name}.png", "figure")).decode("ascii")
        width = round(block.drawing.get_figwidth() * _PIXELS_PER_INCH)
        image = f'<img src="data:image/png;base64,{picture}" width="{width}" alt="{escaped(block.described)}">'
        return f"<h3>{escaped(block.title)}</h3>\n<figure>\n{image}\n</figure>"
    groups = "".join(f'<th colspan="{count}" scope="colgroup">{escaped(name)}</th>' for name, count in block.groups)
    above = f"<tr><th></th>{groups}</tr>" if groups else ""
    left = _LEFT if block.prose else ""
    columns = "".join(f'<th scope="col"{left}>{escaped(name)}</th>' for name in (block.first, *block.columns))
    rows = "\n".join(_html_row(row, len(block.columns), block.prose) for row in block.rows)
    head = f"<thead>{above}<tr>{columns}</tr></thead>\n" if any(block.columns) else ""
    table = f'<div class="scroll" tabindex="0"><table>\n{head}<tbody>\n{rows}\n</tbody>\n</table></div>'
    title = f"<h3>{escaped(block.title)}</h3>\n" if block.title else ""
    note = f'\n<p class="hint">{escaped(block.note)}</p>' if block.note else ""
    return f"{title}{table}{note}"


def _html_row(row: Row, width: int, prose: bool) -> str:
    cells, opening = [], f"<td{_LEFT}>" if prose else "<td>"
    for place, cell in enumerate(row.cells + ("",) * (width - len(row.cells))):
        value, bracket, rest = cell.partition(" (")
        is_interval = bracket and rest.endswith(")") and " to " in rest
        text = f"{escaped(value)}<br><small>{escaped(rest[:-1])}</small>" if is_interval else escaped(cell)
        cells.append(f"{opening}<strong>{text}</strong></td>" if place in row.best else f"{opening}{text}</td>")
    style = "" if row.kind == "measured" else ' class="bound"'
    return f'<tr{style}><th scope="row">{escaped(_label(row))}</th>{"".join(cells)}</tr>'
