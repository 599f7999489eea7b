"""Executes notebooks in a kernel of their own, without the variables of MPI of this process."""

import base64
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from halcyon.launch.mpirun import rank_environment


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook with its outputs, executed in a folder. Raises CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=500, startup_timeout=300, resources=where)
    client.execute(env=rank_environment(1))
    return notebook


def pictures(notebook: nbformat.NotebookNode) -> list[bytes]:
    """The pictures (PNG) of an executed notebook, in order."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    found = [output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    return [base64.b64decode(each) for each in found]
