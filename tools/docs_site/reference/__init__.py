"""The reference of all public names of Python, C++, C and Fortran: pages, and an index of all functions."""

import html
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.docs_site.reference.bindings import Bindings
from tools.docs_site.reference.cpp import header_entries
from tools.docs_site.reference.entry import Entry, anchor_of, markdown, merged
from tools.docs_site.reference.fortran import fortran_entries
from tools.docs_site.reference.python import Package, doc_of, parsed

FENCES = {"Python": "python", "C++": "cpp", "C": "c", "Fortran": "fortran"}
C_HEADERS = ["cpp/halcyon/capi/halcyon/*.h", "cpp/halcyon/physics/halcyon_physics.h"]


@dataclass
class Page:
    """A page of the reference: the names of a module, of a folder of headers, or of a header."""

    language: str
    title: str
    path: str  # in the sources of the site
    text: str
    topic: str  # the page of docs about the same module, if there is one
    entries: list[Entry]


def pages(root: Path) -> list[Page]:
    cpp = list(cpp_pages(root))
    by_name = {each.name: each for page in cpp for entry in page.entries for each in entry.all_names()}
    return [*python_pages(root, by_name), *cpp, *c_pages(root), *fortran_pages(root)]


def topic_of(root: Path, module: str) -> str:
    return f"{module}.md" if (root / f"docs/{module}.md").exists() else ""


def python_pages(root: Path, cpp: dict[str, Entry]) -> Iterator[Page]:
    package = Package(root, Bindings(root, cpp))
    for module, names in package.modules().items():
        text = doc_of(parsed(package.file_of(module)))
        topic = topic_of(root, module.split(".")[1] if "." in module else "python")
        yield Page(
            "Python", module, f"reference/python/{module}.md", text, topic, package.entries(module, names)
        )


def cpp_pages(root: Path) -> Iterator[Page]:
    folders: dict[str, list[Entry]] = {}
    for path in sorted((root / "cpp/halcyon").rglob("*.hpp")):
        folder = str(path.parent.relative_to(root / "cpp/halcyon"))
        if folder != "capi":  # the inside of the C interface
            folders.setdefault(folder, []).extend(header_entries(root, str(path.relative_to(root))))
    for folder, entries in folders.items():
        place = f"reference/cpp/{folder.replace('/', '.')}.md"
        yield Page("C++", folder, place, "", topic_of(root, folder.split("/")[0]), merged(entries))


def c_pages(root: Path) -> Iterator[Page]:
    for path in sorted(path for pattern in C_HEADERS for path in root.glob(pattern)):
        topic = "physics.md" if path.stem == "halcyon_physics" else "capi.md"
        entries = header_entries(root, str(path.relative_to(root)))
        yield Page("C", path.name, f"reference/c/{path.stem}.md", "", topic, entries)


def fortran_pages(root: Path) -> Iterator[Page]:
    for module, entries in fortran_entries(root).items():
        topic = "physics.md" if module == "halcyon_physics" else "fortran.md"
        yield Page("Fortran", module, f"reference/fortran/{module}.md", "", topic, entries)


def page_text(page: Page) -> str:
    parts = [f"# {page.title}"]
    if page.text:
        parts.append(markdown(page.text))
    if page.topic:
        parts.append(f"See [{page.topic.removesuffix('.md')}](../../{page.topic}).")
    for entry in page.entries:
        parts += entry_parts(page, entry)
    return "\n\n".join(parts) + "\n"


def entry_parts(page: Page, entry: Entry) -> Iterator[str]:
    """A heading, the declaration and the text of a name, then its fields as a list, then its functions."""
    yield heading(2, entry)
    place = [f"// {entry.file.removeprefix('cpp/')}"] if page.language == "C++" else []
    yield from declaration(page.language, [*place, *entry.signatures])
    yield markdown(entry.text)
    fields: dict[str, list[Entry]] = {}
    for member in entry.members:
        if member.kind != "function" and not member.members:
            fields.setdefault(member.signatures[0] if member.signatures else member.name, []).append(member)
    yield "\n".join(field_line(signature, group) for signature, group in fields.items())
    for member in entry.members:
        if member.kind == "function" or member.members:
            yield from member_parts(page, member)


def member_parts(page: Page, member: Entry) -> Iterator[str]:
    yield heading(4, member)
    yield from declaration(page.language, member.signatures)
    yield markdown(member.text)
    for each in member.members:  # of a type within a type
        if each.kind == "function":
            yield from member_parts(page, each)
        else:
            yield field_line(each.signatures[0], [each])


def heading(level: int, entry: Entry) -> str:
    return f"{'#' * level} `{entry.name}` {{ #{anchor_of(entry.name)} }}"


def declaration(language: str, signatures: list[str]) -> Iterator[str]:
    if signatures:
        yield f"```{FENCES[language]}\n" + "\n".join(signatures) + "\n```"


def field_line(signature: str, group: list[Entry]) -> str:
    anchors = "".join(f'<a id="{anchor_of(each.name)}"></a>' for each in group)
    text = " ".join(markdown(group[0].text).split())
    return f"- {anchors}`{' '.join(signature.split())}`" + (f": {text}" if text else "")


def index_text(all_pages: list[Page]) -> str:
    """The index: all functions and types, by language and module, each with a link to its text."""
    parts = ["# Reference", "All public functions and types, by language and module, from their comments."]
    for language in FENCES:
        parts.append(f"## {language}")
        for page in (page for page in all_pages if page.language == language):
            address = page.path.removeprefix("reference/").replace(".md", ".html")
            names = [
                f'<a href="{address}#{anchor_of(each.name)}">{html.escape(short_name(page, each.name))}</a>'
                for entry in page.entries
                for each in entry.all_names()
                if each.kind in {"function", "type"} or each is entry
            ]
            parts.append(f"### [{page.title}]({page.path.removeprefix('reference/')})")
            parts.append(f'<div class="names">{" ".join(names)}</div>')
    return "\n\n".join(parts) + "\n"


def short_name(page: Page, name: str) -> str:
    """A name without that of its Python module, which is in the heading above."""
    return name.removeprefix(f"{page.title}.")


def write_reference(root: Path, target: Path) -> list:
    """Writes the pages of the reference; returns their part of the navigation."""
    all_pages = pages(root)
    texts = {"reference/index.md": index_text(all_pages)} | {page.path: page_text(page) for page in all_pages}
    for path, text in texts.items():
        os.makedirs((target / path).parent, exist_ok=True)
        (target / path).write_text(text)
    by_language = {
        language: [{page.title: page.path} for page in all_pages if page.language == language]
        for language in FENCES
    }
    return ["reference/index.md", *({language: paths} for language, paths in by_language.items())]
