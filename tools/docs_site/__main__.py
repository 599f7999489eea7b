"""Builds the documentation as a site in build/docs/site, which needs no network and no server.

.venv/bin/python -m tools.docs_site    in the root of the repository; see `make docs`
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

from tools.docs_site.check import problems
from tools.docs_site.figures import gallery
from tools.docs_site.pages import ROOT, copy_pages, navigation
from tools.docs_site.reference import write_reference

HERE = Path(__file__).parent
OUTPUT = ROOT / "build/docs"


def main() -> int:
    start = time.monotonic()
    pages, site, settings = OUTPUT / "pages", OUTPUT / "site", OUTPUT / "mkdocs.yml"
    shutil.rmtree(OUTPUT, ignore_errors=True)
    copy_pages(pages)
    shutil.copytree(HERE / "theme", pages / "assets")
    (pages / "gallery.md").write_text(gallery())
    nav = [*navigation(), {"Gallery": "gallery.md"}, {"Reference": write_reference(ROOT, pages)}]
    places = {"docs_dir": "pages", "site_dir": "site"}
    settings.write_text(yaml.safe_dump({"INHERIT": str(HERE / "mkdocs.yml"), "nav": nav} | places))
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(settings)]
    if subprocess.run(command, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}).returncode:
        return 1
    found = problems(site)
    print(*found, sep="\n", end="\n" if found else "")
    n_pages = len(list(site.rglob("*.html")))
    print(f"docs: {n_pages} pages in {time.monotonic() - start:.0f} s: {site.relative_to(ROOT)}/index.html")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
