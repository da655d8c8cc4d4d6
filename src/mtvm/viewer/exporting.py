"""A walk to send to somebody: as an animated GIF, as pictures, or as one HTML file that needs nothing else."""

from __future__ import annotations

import html
import io
import json
import zipfile
from collections.abc import Callable, Sequence

from mtvm.errors import InputError
from mtvm.tasks.metric import format_value
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.charts import draw_matrix
from mtvm.viewer.figures import Walk
from mtvm.viewer.maps import MapOptions, draw_map
from mtvm.viewer.strips import draw_frames, draw_strip

_MILLISECONDS = 1200
Check = Callable[[], None]


def _nobody_leaves() -> None:
    """On the command line somebody always waits."""


def export(
    ending: str, buildings: Buildings, walks: Sequence[Walk], names: Sequence[str], check: Check = _nobody_leaves
) -> bytes:
    """A walk of one agent, or of several in the same episode, as `ending` says."""
    if ending == ".gif":
        return _gif(buildings, walks, names, check)
    if ending == ".zip":
        return _frames(buildings, walks, names, check)
    if ending == ".html":
        return _page(buildings, walks, names, check).encode()
    raise InputError(f"a walk is written as .gif, .zip (a PNG file for each step) or .html, not {ending or 'a file'}.")


def _gif(buildings: Buildings, walks: Sequence[Walk], names: Sequence[str], check: Check) -> bytes:
    """An animated GIF, a frame a step; it repeats."""
    from PIL.Image import Quantize

    # Octrees keep the few colours of the paths, which the many of a picture crowd out otherwise.
    pictures = draw_frames(buildings, walks, names, check)
    frames = [picture.quantize(256, Quantize.FASTOCTREE) for picture in pictures]
    buffer = io.BytesIO()
    times = [_MILLISECONDS] * (len(frames) - 1) + [2 * _MILLISECONDS]
    frames[0].save(buffer, format="GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return buffer.getvalue()


def _frames(buildings: Buildings, walks: Sequence[Walk], names: Sequence[str], check: Check) -> bytes:
    """The same frames as PNG files in a ZIP archive, for slides and video editors."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for step, frame in enumerate(draw_frames(buildings, walks, names, check)):
            picture = io.BytesIO()
            frame.save(picture, format="PNG")
            archive.writestr(zipfile.ZipInfo(f"step-{step:02d}.png"), picture.getvalue())
    return buffer.getvalue()


def _page(buildings: Buildings, walks: Sequence[Walk], names: Sequence[str], check: Check) -> str:
    """A page: instruction, metrics, the maps of each step to leaf through, matrices and views."""
    known = [(number, walk) for number, walk in enumerate(walks) if walk.events]
    last = max(len(walk.events) for _, walk in known) - 1
    pages = []
    for step in range(last + 1):
        check()
        maps = [
            draw_map(buildings, walks, MapOptions(min(step, len(walk.events) - 1), own=number, legend=tuple(names)))
            for number, walk in known
        ]
        pages.append(f'<div class="step" {"hidden" if step else ""}>\n{"".join(one.svg() for one in maps)}</div>')
    first, several = walks[0], len(walks) > 1
    parts = []
    for number, walk in known:
        said = ", ".join(f"{name} {format_value(name, value)}" for name, value in walk.metrics.items())
        title = f"<h2>{html.escape(names[number])}</h2>" if several else ""
        parts.append(f"{title}<p>{html.escape(said)}</p>")
        if any(event.words for event in walk.events):
            parts.append(f"<h2>Attention on words</h2>\n<div class='scroll'>{draw_matrix(walk).svg()}</div>")
        parts.append(f"<h2>What it saw</h2>\n{draw_strip(buildings, walk, title=False, check=check).svg()}")
    steps = [event.to_json() for _, walk in known for event in walk.events]
    return _PAGE.format(
        title=html.escape(f"Episode {first.id} in {first.scan}"),
        text=html.escape(first.text),
        last=last,
        steps="\n".join(pages),
        parts="\n".join(parts),
        data=json.dumps(steps).replace("<", "\\u003c"),
    )


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 0 auto; padding: 1.5rem; color: #1e2022;
background: #fff; }}
h1 {{ font-size: 1.3rem; }} h2 {{ font-size: 1.05rem; margin-top: 2rem; }}
blockquote {{ border-left: 3px solid #c4c8ce; margin: 0; padding-left: 1rem; }}
svg {{ max-width: 100%; height: auto; }} .scroll {{ overflow-x: auto; }} .scroll svg {{ max-width: none; }}
label {{ display: flex; gap: .8rem; align-items: center; }} input {{ flex: 1; }}
p {{ color: #5d6266; }}
</style>
</head>
<body>
<h1>{title}</h1>
<blockquote>{text}</blockquote>
<label>Step <output id="number">0</output><input id="slider" type="range" min="0" max="{last}" value="0"></label>
{steps}
{parts}
<script type="application/json" id="steps">{data}</script>
<script>
const slider = document.getElementById("slider"), pages = document.querySelectorAll(".step");
slider.oninput = () => {{
  document.getElementById("number").value = slider.value;
  pages.forEach((page, number) => {{ page.hidden = number !== Number(slider.value); }});
}};
</script>
</body>
</html>
"""
