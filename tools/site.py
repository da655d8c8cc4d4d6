"""For mkdocs: what pages say of files outside docs/ is shown without a link, since the site holds the pages alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    folder = (DOCS / page.file.src_uri).parent

    def kept(link: re.Match[str]) -> str:
        text, target = link.groups()
        if "://" in target or target.startswith("#"):
            return link[0]
        path = (folder / target.partition("#")[0]).resolve()
        return link[0] if path.is_relative_to(DOCS) and path.is_file() else text

    return LINK.sub(kept, markdown)
