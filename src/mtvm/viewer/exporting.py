"""A walk to send to somebody: as an animated GIF, as pictures, or as one HTML file that needs nothing else."""

from __future__ import annotations

import html
import io
import json
import zipfile
from collections.abc import Callable

from mtvm.tasks.metric import format_value
from mtvm.viewer.buildings import Buildings
from mtvm.viewer.charts import draw_matrix
from mtvm.viewer.figures import Walk
from mtvm.viewer.maps import MapOptions, draw_map
from mtvm.viewer.strips import draw_frames, draw_strip

_MILLISECONDS = 1200


def _nobody_leaves() -> None:
    """On the command line somebody always waits."""


def gif(buildings: Buildings, walk: Walk, check: Callable[[], None] = _nobody_leaves) -> bytes:
    """The walk as an animated GIF, a frame a step; it repeats."""
    from PIL.Image import Quantize

    # Octrees keep the few colours of the paths, which the many of a picture crowd out otherwise.
    frames = []
    for frame in draw_frames(buildings, walk):
        check()
        frames.append(frame.quantize(256, Quantize.FASTOCTREE))
    buffer = io.BytesIO()
    times = [_MILLISECONDS] * (len(frames) - 1) + [2 * _MILLISECONDS]
    frames[0].save(buffer, format="GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return buffer.getvalue()


def frames(buildings: Buildings, walk: Walk, check: Callable[[], None] = _nobody_leaves) -> bytes:
    """The same frames as PNG files in a ZIP archive, for slides and video editors."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for event, frame in zip(walk.events, draw_frames(buildings, walk), strict=True):
            check()
            picture = io.BytesIO()
            frame.save(picture, format="PNG")
            archive.writestr(zipfile.ZipInfo(f"step-{event.step:02d}.png"), picture.getvalue())
    return buffer.getvalue()


def page_of(buildings: Buildings, walk: Walk, check: Callable[[], None] = _nobody_leaves) -> str:
    """The walk as a page: instruction, metrics, the map of each step to leaf through, matrix and views."""
    maps = []
    for event in walk.events:
        check()
        maps.append(draw_map(buildings, walk, MapOptions(step=event.step, legend=("agent",))).svg())
    steps = "\n".join(f'<div class="step" {"" if n == 0 else "hidden"}>\n{drawn}</div>' for n, drawn in enumerate(maps))
    metrics = ", ".join(f"{name} {format_value(name, value)}" for name, value in walk.metrics.items())
    matrix = ""
    if any(event.words for event in walk.events):
        matrix = f"<h2>Attention on words</h2>\n<div class='scroll'>{draw_matrix(walk).svg()}</div>"
    return _PAGE.format(
        title=html.escape(f"Episode {walk.id} in {walk.scan}"),
        text=html.escape(walk.text),
        metrics=html.escape(metrics),
        last=len(maps) - 1,
        steps=steps,
        matrix=matrix,
        strip=draw_strip(buildings, walk, title=False, check=check).svg(),
        data=json.dumps([event.to_json() for event in walk.events]).replace("<", "\\u003c"),
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
<p>{metrics}</p>
<label>Step <output id="number">0</output><input id="slider" type="range" min="0" max="{last}" value="0"></label>
{steps}
{matrix}
<h2>What it saw</h2>
{strip}
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
