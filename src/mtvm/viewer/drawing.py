"""Drawings as lists of shapes, which become SVG for pages and papers, and pixels for PNG and GIF.

A shape's look is named by its class, so that a page can change it by CSS; the attributes are for everywhere else.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import html
import io
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mtvm.errors import InputError, MissingExtraError
from mtvm.io.files import atomic_path, write_text

if TYPE_CHECKING:
    from PIL.Image import Image as PILImage
    from PIL.ImageFont import FreeTypeFont, ImageFont

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

_NOT_FOR_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclasses.dataclass(frozen=True)
class Style:
    """Colours as #rrggbb or None; `dash` in pixels."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    dash: tuple[float, float] | None = None
    opacity: float = 1.0
    bold: bool = False
    halo: bool = False
    """Of a text: a white rim, so that it can be read across lines."""


# Colours of Okabe and Ito, which can be told apart by everyone.
STYLES: dict[str, Style] = {
    "picture": Style(),
    "edge": Style(stroke="#c4c8ce", width=1),
    "stairs": Style(stroke="#c4c8ce", width=1, dash=(3, 3)),
    "viewpoint": Style(fill="#9aa1ab"),
    "room": Style(fill="#5d646e", halo=True),
    "label": Style(fill="#1e2022", halo=True),
    "title": Style(fill="#1e2022", bold=True),
    "reference": Style(stroke="#009e73", width=7, opacity=0.45),
    "goal": Style(stroke="#009e73", width=1.5, dash=(5, 4)),
    "goal-mark": Style(fill="#009e73"),
    "start": Style(fill="#ffffff", stroke="#1e2022", width=2),
    "scale": Style(stroke="#1e2022", width=1.5),
    "candidate": Style(stroke="#e69f00", width=2),
    "candidate-mark": Style(fill="#e69f00", stroke="#ffffff", width=1),
    "chosen-mark": Style(fill="#b84400", stroke="#ffffff", width=1),
    "candidate-number": Style(fill="#1e2022", bold=True),
    "chosen-number": Style(fill="#ffffff", bold=True),
    "left": Style(stroke="#d55e00", width=2.5),
    "cell": Style(fill="#0072b2"),
    "cell-frame": Style(stroke="#c4c8ce", width=0.5),
    "now": Style(stroke="#d55e00", width=2),
    "box": Style(stroke="#9aa1ab", width=1),
    "target-box": Style(stroke="#009e73", width=4),
    "chosen-box": Style(stroke="#e69f00", width=3, dash=(7, 4)),
    "axis": Style(stroke="#9aa1ab", width=1),
    "grid": Style(stroke="#e3e5e8", width=1),
}

AGENTS = (
    *("#0072b2", "#aa3377", "#117733", "#7a5195", "#8c564b"),
    *("#33a1c9", "#d6336c", "#6b8e23", "#444b54", "#c08497"),
)
"""Of the agents that are compared, in their order; candidates are orange, the reference path is green."""
for _number, _colour in enumerate(AGENTS):
    STYLES[f"path-{_number}"] = Style(stroke=_colour, width=3)
    STYLES[f"ahead-{_number}"] = Style(stroke=_colour, width=2, dash=(2, 5), opacity=0.7)
    STYLES[f"other-{_number}"] = Style(stroke=_colour, width=2.5, dash=(7, 4))
    STYLES[f"agent-{_number}"] = Style(fill=_colour, stroke="#ffffff", width=1.5)
    STYLES[f"stands-{_number}"] = Style(fill=_colour, stroke="#ffffff", width=1)
    STYLES[f"bar-{_number}"] = Style(fill=_colour)


@dataclasses.dataclass(frozen=True)
class Shape:
    kind: Literal["line", "polygon", "circle", "rect", "text", "image"]
    look: str
    points: tuple[Point, ...]
    """A line's or polygon's; the centre, the corner or the anchor of the others."""
    size: Point = (0.0, 0.0)
    """Radius twice for a circle, width and height for a rectangle or an image, font size for a text."""
    text: str = ""
    anchor: Anchor = "start"
    turn: float = 0.0
    """Of a text, in degrees; only 0 and -90."""
    width: float | None = None
    """Of the stroke, if it is not the style's."""
    opacity: float | None = None
    data: tuple[tuple[str, str], ...] = ()
    """data-* attributes in SVG, by which a page knows what is clicked."""
    picture: Any = None

    @property
    def style(self) -> Style:
        style = STYLES[self.look]
        changes = {name: getattr(self, name) for name in ("width", "opacity") if getattr(self, name) is not None}
        return dataclasses.replace(style, **changes)


class Drawing:
    """Shapes in the order in which they are drawn; x to the right and y down, in pixels."""

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        """`label` describes the drawing for those who cannot see it."""
        self.shapes: list[Shape] = []
        self.data: dict[str, str] = {}
        """data-* attributes of the whole."""

    def line(self, look: str, *points: Point, width: float | None = None, **data: object) -> None:
        if len(points) > 1:
            self._add("line", look, points, data, width=width)

    def polygon(self, look: str, *points: Point, **data: object) -> None:
        self._add("polygon", look, points, data)

    def circle(self, look: str, centre: Point, radius: float, **data: object) -> None:
        self._add("circle", look, (centre,), data, size=(radius, radius))

    def rect(self, look: str, corner: Point, size: Point, opacity: float | None = None, **data: object) -> None:
        self._add("rect", look, (corner,), data, size=size, opacity=opacity)

    def text(
        self,
        look: str,
        at: Point,
        text: str,
        size: float = 12,
        anchor: Anchor = "start",
        turn: float = 0.0,
        **data: object,
    ) -> None:
        self._add("text", look, (at,), data, size=(size, size), text=text, anchor=anchor, turn=turn)

    def image(self, corner: Point, size: Point, picture: PILImage) -> None:
        self._add("image", "picture", (corner,), {}, size=size, picture=picture)

    def place(self, other: Drawing, dx: float, dy: float) -> None:
        """All shapes of another drawing, moved."""
        for shape in other.shapes:
            moved = tuple((x + dx, y + dy) for x, y in shape.points)
            self.shapes.append(dataclasses.replace(shape, points=moved))

    def lower(self, first: int, to: int) -> None:
        """Move the shapes from the `first` on below those from `to` on."""
        self.shapes[to:] = self.shapes[first:] + self.shapes[to:first]

    def cut(self, left: float, width: float, beside: float = 0.0) -> None:
        """Keep only an upright strip: the shapes that begin in it or `beside` it, moved to the left edge."""
        kept = [shape for shape in self.shapes if left - beside <= shape.points[0][0] < left + width + beside]
        self.shapes = [
            dataclasses.replace(shape, points=tuple((x - left, y) for x, y in shape.points)) for shape in kept
        ]
        self.width = width

    def _add(self, kind: Any, look: str, points: tuple[Point, ...], data: dict[str, object], **rest: Any) -> None:
        named = tuple((name, str(value)) for name, value in data.items() if value is not None)
        self.shapes.append(Shape(kind, look, points, data=named, **rest))

    def save(self, path: Path, dpi: int = 192) -> None:
        """Write SVG, PDF or PNG, as the name's ending says; a PNG has `dpi` pixels for 96 of the drawing's."""
        ending = path.suffix.lower()
        if ending == ".svg":
            write_text(path, self.svg())
        elif ending == ".pdf":
            from mtvm.viewer.drawing_pdf import write_pdf

            write_pdf(self, path)
        elif ending == ".png":
            picture = self.picture(dpi / 96)
            with atomic_path(path) as fresh:
                picture.save(fresh, format="PNG", dpi=(dpi, dpi))
        else:
            raise InputError(f"{path}: a figure's name ends in .svg, .pdf or .png.")

    # SVG

    def svg(self) -> str:
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(self.width)} {_n(self.height)}" '
            f'width="{_n(self.width)}" height="{_n(self.height)}" role="img" aria-label="{_escaped(self.label)}" '
            f'font-family="system-ui, sans-serif"{self._named()}>',
            f'<rect class="ground" width="{_n(self.width)}" height="{_n(self.height)}" fill="#ffffff"/>',
            *map(_svg_shape, self.shapes),
            "</svg>\n",
        ]
        return "\n".join(parts)

    def _named(self) -> str:
        return "".join(f' data-{name}="{_escaped(value)}"' for name, value in self.data.items())

    # Pixels

    def picture(self, scale: float = 2.0) -> PILImage:
        """The drawing in pixels, `scale` for each of its own."""
        try:
            from PIL import Image, ImageDraw
        except ImportError:
            raise MissingExtraError("pillow", "viewer", "Drawing pixels") from None
        fine = 2 * scale  # Pillow draws without smoothing: draw larger, then shrink
        picture = Image.new("RGB", (round(self.width * fine), round(self.height * fine)), "#ffffff")
        for shape in self.shapes:
            style = shape.style
            if style.opacity < 1 and shape.kind != "text":
                layer = Image.new("RGBA", picture.size)
                _paint(ImageDraw.Draw(layer), layer, shape, fine)
                alpha = layer.getchannel("A").point(lambda a, share=style.opacity: round(a * share))
                picture.paste(layer.convert("RGB"), mask=alpha)
            else:
                _paint(ImageDraw.Draw(picture), picture, shape, fine)
        return picture.resize((round(self.width * scale), round(self.height * scale)), Image.Resampling.LANCZOS)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _escaped(text: str) -> str:
    return html.escape(_NOT_FOR_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def _svg_shape(shape: Shape) -> str:
    style = shape.style
    x, y = shape.points[0]
    listed = " ".join(f"{_n(px)},{_n(py)}" for px, py in shape.points)
    width, height = map(_n, shape.size)
    form = {
        "line": f'polyline points="{listed}"',
        "polygon": f'polygon points="{listed}"',
        "circle": f'circle cx="{_n(x)}" cy="{_n(y)}" r="{width}"',
        "rect": f'rect x="{_n(x)}" y="{_n(y)}" width="{width}" height="{height}"',
        "text": f'text x="{_n(x)}" y="{_n(y)}" font-size="{width}" text-anchor="{shape.anchor}"',
        "image": f'image x="{_n(x)}" y="{_n(y)}" width="{width}" height="{height}"',
    }[shape.kind]
    look = [f'class="{shape.look}"', f'fill="{style.fill or "none"}"']
    if style.stroke:
        look.append(f'stroke="{style.stroke}" stroke-width="{_n(style.width)}" stroke-linejoin="round"')
        look.append('stroke-linecap="round"')
    if style.dash:
        look.append(f'stroke-dasharray="{_n(style.dash[0])} {_n(style.dash[1])}"')
    if style.opacity < 1:
        look.append(f'opacity="{_n(style.opacity)}"')
    if style.bold:
        look.append('font-weight="600"')
    if style.halo:
        look.append('paint-order="stroke" stroke="#ffffff" stroke-width="3" stroke-linejoin="round"')
    if shape.turn:
        look.append(f'transform="rotate({_n(shape.turn)} {_n(x)} {_n(y)})"')
    if shape.kind == "image":
        look = [f'href="{data_address(shape.picture)}"']
    look += [f'data-{name}="{_escaped(value)}"' for name, value in shape.data]
    end = f">{_escaped(shape.text)}</text>" if shape.kind == "text" else "/>"
    return f"<{form} {' '.join(look)}{end}"


def data_address(picture: PILImage) -> str:
    """An image as an address that holds it."""
    buffer = io.BytesIO()
    picture.convert("RGB").save(buffer, format="JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _paint(draw: Any, picture: PILImage, shape: Shape, scale: float) -> None:
    style = shape.style
    points = [(x * scale, y * scale) for x, y in shape.points]
    (x, y), (wide, high) = points[0], (shape.size[0] * scale, shape.size[1] * scale)
    stroke = max(round(style.width * scale), 1)
    if shape.kind == "line":
        _paint_line(draw, points, style, scale)
    elif shape.kind == "polygon":
        draw.polygon(points, fill=style.fill, outline=style.stroke, width=stroke)
    elif shape.kind == "circle" and style.dash:
        turn = 360 / max(round(2 * math.pi * shape.size[0] / sum(style.dash)), 1)
        on = turn * style.dash[0] / sum(style.dash)
        for number in range(round(360 / turn)):
            box = (x - wide, y - wide, x + wide, y + wide)
            draw.arc(box, number * turn, number * turn + on, fill=style.stroke, width=stroke)
    elif shape.kind == "circle":
        draw.ellipse((x - wide, y - wide, x + wide, y + wide), fill=style.fill, outline=style.stroke, width=stroke)
    elif shape.kind == "rect":
        draw.rectangle((x, y, x + wide, y + high), fill=style.fill, outline=style.stroke, width=stroke)
    elif shape.kind == "image":
        picture.paste(shape.picture.resize((round(wide), round(high))), (round(x), round(y)))
    else:
        _paint_text(picture, shape, style, scale)


def _paint_line(draw: Any, points: list[Point], style: Style, scale: float) -> None:
    width = max(round(style.width * scale), 1)
    if not style.dash:
        draw.line(points, fill=style.stroke, width=width, joint="curve")
        return
    on, off = (part * scale for part in style.dash)
    for (x0, y0), (x1, y1) in pairwise(points):
        length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
        at = 0.0
        while at < length:
            a, b = at / length, min(at + on, length) / length
            ends = [(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share) for share in (a, b)]
            draw.line(ends, fill=style.stroke, width=width)
            at += on + off


@functools.lru_cache(maxsize=32)
def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _paint_text(picture: PILImage, shape: Shape, style: Style, scale: float) -> None:
    from PIL import Image, ImageDraw

    font = _font(max(round(shape.size[0] * scale), 6))
    side: str = {"start": "l", "middle": "m", "end": "r"}[shape.anchor]
    x, y = (value * scale for value in shape.points[0])
    if not shape.turn:
        rim = round(1.5 * scale) if style.halo else 0
        ImageDraw.Draw(picture).text(
            (x, y), shape.text, fill=style.fill, font=font, anchor=f"{side}s", stroke_width=rim, stroke_fill="#ffffff"
        )
        return
    left, top, right, bottom = font.getbbox(shape.text)
    wide, high = max(int(right - left) + 4, 1), max(int(bottom - top) + 4, 1)
    layer = Image.new("L", (wide, high))
    ImageDraw.Draw(layer).text((2 - left, 2 - top), shape.text, fill=255, font=font)
    turned = layer.rotate(90, expand=True)  # -90 degrees in SVG: reads upwards
    below = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor]
    picture.paste(style.fill or "#000000", (round(x - high), round(y - wide * (1 - below))), turned)
