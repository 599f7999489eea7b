"""Checks a built site: every link leads to a page and an anchor of the site, and no page asks a network."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes whose addresses a browser loads with the page; those of `a` and some of `link` it does not.
LOADED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}
NOT_LOADED = {"canonical", "next", "prev", "edit"}


class Page(HTMLParser):
    """The anchors of a page, its links, and the addresses that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := values.get(key)))
        for element, key in LOADED:
            if tag == element and values.get(key) and values.get("rel") not in NOT_LOADED:
                self.loaded.add(values[key])
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])


def problems(site: Path) -> list[str]:
    """The dead links of a site, and what its pages would load from a network."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        if path.name == "404.html":  # its addresses begin at the root of a server
            continue
        name = path.relative_to(site.resolve())
        for address in sorted(page.loaded):
            if urlsplit(address).netloc:
                found.append(f"{name} loads {address} from a network")
        for address in sorted(page.links | page.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir() or not target.exists():
                found.append(f"{name} links to {address}: there is no such file")
            elif (
                parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].anchors | {"__top"}
            ):
                found.append(f"{name} links to {address}: there is no such anchor")
    for style in site.rglob("*.css"):
        if "url(http" in style.read_text() or "url(//" in style.read_text():
            found.append(f"{style.relative_to(site)} loads from a network")
    return found
