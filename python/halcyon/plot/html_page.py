"""Web pages as one self-contained HTML file: a template with style, scripts and data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halcyon.mesh.atomic_file import write_file


def json_in_html(document: Any) -> str:
    """JSON for a script element of type application/json. No text in it can end the element or begin a
    comment."""
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")


def write_page(path: Path, template: Path, parts: Mapping[str, str]) -> None:
    """Writes a page atomically: the template with each {{name}} replaced by the part of this name. Parts are
    HTML; texts of users must have been escaped."""
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template.read_text(encoding="utf-8"))
    write_file(path, lambda part: Path(part).write_text(page, encoding="utf-8"))
