"""The text and the HTML by which objects show themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

Rows = Sequence[tuple[str, str]]  # names and texts
_WIDTH = 100  # characters of a text of options


def as_text(title: str, rows: Rows) -> str:
    """A heading and rows as lines of text."""
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join([title, *(f"  {name:<{width}}  {text}".rstrip() for name, text in rows)])


def as_html(title: str, rows: Rows) -> str:
    """A heading and rows as a table in HTML."""
    cell = 'style="text-align: left; vertical-align: top"'
    lines = (
        f'<tr><th scope="row" {cell}>{escape(name)}</th><td {cell}>{escape(text)}</td></tr>'
        for name, text in rows
    )
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}</table>"


def option_rows(options: Mapping[str, Any]) -> Rows:
    """Groups of options as rows, in the flow style of YAML."""
    return [(name, _shortened(_flow(value))) for name, value in options.items()]


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name}: {_flow(each)}' for name, each in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_flow, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
