"""The HTML page and style around the content of a report."""

from __future__ import annotations

import html
import re

_NOT_FOR_HTML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def escaped(text: str) -> str:
    """`text` escaped for an element or attribute; characters that HTML forbids become the replacement character."""
    return html.escape(_NOT_FOR_HTML.sub("\N{REPLACEMENT CHARACTER}", text))


def paragraphs(text: str, style: str = "") -> str:
    """`text` as paragraphs, split at blank lines."""
    opening = f'<p class="{style}">' if style else "<p>"
    return "\n".join(f"{opening}{escaped(part.strip())}</p>" for part in re.split(r"\n\s*\n", text) if part.strip())


def section(name: str, title: str, content: str) -> str:
    return f'<section aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{content}\n</section>'


def page(title: str, lead: str, sections: list[str], footer: str) -> str:
    """The whole file; `sections` are HTML, the other arguments plain text."""
    body = "".join(f"\n{part}" for part in sections if part)
    closing = f"\n<footer>\n{paragraphs(footer)}\n</footer>" if footer.strip() else ""
    return _PAGE.format(title=escaped(title), style=_STYLE, lead=paragraphs(lead, "lead"), body=body, footer=closing)


_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
{lead}
</header>
<main>{body}
</main>{footer}
</body>
</html>
"""

_STYLE = """\
:root { color-scheme: light dark; --back: #fdfdfb; --ink: #1e2022; --muted: #5d6266; --rule: #dcdcd6; --box: #f2f2ee; }
@media screen and (prefers-color-scheme: dark) {
:root { --back: #17191b; --ink: #e3e3df; --muted: #a3a8ad; --rule: #3a3e42; --box: #212427; }
img { filter: brightness(.88); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 2rem clamp(1rem, 4vw, 2rem) 3rem; background: var(--back);
color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
overflow-wrap: break-word; -webkit-text-size-adjust: 100%; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; text-wrap: balance; }
h1 { font-size: 1.9rem; margin: 0 0 .75rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
h2 + h3, h2 + article > h3 { margin-top: 0; }
p, blockquote, dl { max-width: 44rem; margin: 0 0 .8rem; }
.lead { font-size: 1.1rem; }
.hint, figcaption, footer, dl { color: var(--muted); font-size: .93rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem 0 .4rem 1.4rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
th:first-child { padding-left: 0; text-align: left; white-space: normal; min-width: 8rem; position: sticky; left: 0;
background: var(--back) padding-box; }
th { font-weight: 400; }
thead th { font-weight: 600; border-color: var(--muted); vertical-align: bottom; }
small { color: var(--muted); font-weight: 400; }
.bound { color: var(--muted); font-style: italic; }
strong { font-weight: 700; }
.metrics div { display: grid; grid-template-columns: 3.6rem 1fr; }
dt { font-weight: 600; color: var(--ink); }
dd { margin: 0; }
figure { margin: 0; }
.curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 1.5rem 2rem; }
.curves figure { max-width: 34rem; }
.curves figcaption { color: var(--ink); font-weight: 600; font-size: 1rem; margin-bottom: .3rem; }
.curves small { display: block; font-size: .85rem; }
.curves svg { display: block; width: 100%; height: auto; stroke-linejoin: round; }
.curves text { fill: var(--muted) !important; font-family: inherit !important; font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: .3rem 0 0; padding: 0; list-style: none; }
.legend li { font-size: .93rem; }
.legend svg { display: inline-block; width: 2rem; height: .5rem; margin-right: .4rem; vertical-align: middle; }
article + article { margin-top: 2.5rem; }
blockquote { padding-left: 1rem; border-left: 3px solid var(--rule); }
.pictures { display: flex; flex-wrap: wrap; gap: 1.2rem; }
.pictures figure { flex: 0 1 30rem; min-width: 0; } .pictures .wide { flex-basis: 100%; }
img { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
.pictures figcaption { margin-top: .3rem; }
ol { margin: 0; padding-left: 1.4rem; }
li p { margin-bottom: .3rem; }
pre { margin: 0 0 1.1rem; padding: .6rem .8rem; background: var(--box); border-radius: 4px; overflow-x: auto; }
code { font: .9rem/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; user-select: all; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
:focus-visible { outline: 2px solid var(--muted); outline-offset: 2px; }
@media (max-width: 36rem) {
h1 { font-size: 1.55rem; }
th, td { padding-left: .5rem; font-size: .85rem; }
th:first-child { min-width: 6rem; }
thead small { display: block; }
}
@media print {
:root { font-size: 10pt; }
body { max-width: none; padding: 0; }
.curves { grid-template-columns: 1fr 1fr; }
.scroll { overflow: visible; }
th:first-child { position: static; background: none; }
table, figure, li, dl, blockquote { break-inside: avoid; }
h2, h3, blockquote, .hint { break-after: avoid; }
pre { border: 1px solid var(--rule); white-space: pre-wrap; }
}
"""
