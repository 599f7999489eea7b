"""Copies the pages of the repository, and the files that they link, to where MkDocs reads them."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<fence>```|~~~).*?^(?P=fence)[^\n]*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<=\]\()[^)\s]+(?=\))")
LANGUAGES = {
    ".py": "python",
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".h": "c",
    ".c": "c",
    ".f90": "fortran",
    ".yaml": "yaml",
}
PICTURES = {".png", ".svg", ".jpg"}

PARENT_OF = {  # headings of docs/index.md whose pages the site lists under another heading
    "Waves": "Forecast waves",
    "Meshes, parallel runs and files": "Put it under your model",
    "Simulated machines": "Ask a network",
}


def tracked(*patterns: str) -> list[str]:
    """The files of the repository that match, relative to its root: tracked by git, or not yet added."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


def sources() -> list[str]:
    """The pages of the repository, and its notebooks."""
    return tracked("*.md", "examples/notebooks/*.ipynb")


def place_of(name: str) -> str:
    """The path in the site's sources of a file of the repository."""
    path = Path(name)
    if path.suffix == ".ipynb":
        return str(path.with_suffix(".md"))
    if path.suffix not in {".md"} | PICTURES:
        return f"files/{name}.md"
    if path.name == "README.md" and path.parent != Path():
        return str(path.parent / "index.md")
    return (
        str(path.relative_to("docs")) if path.parts[0] == "docs" else name.replace("README.md", "readme.md")
    )


def outside_fences(text: str, change) -> str:
    """A page whose text outside blocks of code is changed by a function."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def with_links(text: str, name: str, linked: set[str]) -> str:
    """A page whose links between files of the repository lead to their places in the site; adds the names of
    these files to `linked`."""

    def moved(match: re.Match) -> str:
        path, hash_sign, anchor = match[0].partition("#")
        if not path or ":" in path:
            return match[0]
        target = os.path.normpath(Path(name).parent / path)
        linked.add(target)
        return os.path.relpath(place_of(target), Path(place_of(name)).parent) + hash_sign + anchor

    return outside_fences(text, lambda part: LINK.sub(moved, part))


def markdown_of(notebook: Path) -> str:
    """The cells of a notebook with the outputs that it holds; nothing is executed."""
    return "\n\n".join(
        part for cell in json.loads(notebook.read_text())["cells"] for part in cell_parts(cell)
    )


def cell_parts(cell: dict) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
    elif source:
        yield f"```python\n{source}\n```"
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            picture = "".join(data["image/png"]).strip()
            yield f'<img alt="output of the cell above" src="data:image/png;base64,{picture}">'
        elif text := "".join(output.get("text", data.get("text/plain", []))).rstrip():
            yield f"```text\n{text}\n```"


def copy_pages(target: Path) -> None:
    """Writes all pages to a folder, with their pictures and a page of code for each other linked file."""
    linked: set[str] = set()
    for name in sources():
        file = ROOT / name
        text = markdown_of(file) if file.suffix == ".ipynb" else file.read_text()
        write(target / place_of(name), with_links(text, name, linked))
    for name in sorted(linked - set(sources())):
        file, place = ROOT / name, target / place_of(name)
        if file.suffix in PICTURES:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
        elif file.is_file():
            write(place, f"# {name}\n\n```{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text()}\n```\n")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def title_of(text: str) -> str:
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1]


def navigation() -> list:
    """The pages under the headings of docs/index.md, and the others, in the form of MkDocs' `nav`."""
    index = (ROOT / "docs/index.md").read_text()
    sections: dict[str, list] = {}
    listed = {"index.md"}
    for heading, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", index, re.DOTALL | re.MULTILINE):
        links = re.findall(r"\]\(([^)#]+\.(?:md|ipynb))", body)
        places = [place_of(os.path.normpath(Path("docs", link))) for link in links]
        pages = [place for place in dict.fromkeys(places) if place not in listed]
        listed.update(pages)
        if heading in PARENT_OF:
            sections[PARENT_OF[heading]].append({heading: pages})
        else:
            sections[heading] = pages
    if others := [place for place in map(place_of, sources()) if place not in listed]:
        sections["More"] = others
    return [{"Start": "index.md"}, *({heading: pages} for heading, pages in sections.items())]
