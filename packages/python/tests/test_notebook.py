"""The notebook runs from its first cell to its last."""

import os
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parent.parent / "notebooks/first_steps.ipynb"


def test_the_notebook_runs(tmp_path):
    try:
        import nbformat
        from nbclient import NotebookClient
    except ImportError:
        if os.environ.get("DOUBLECROSS_REQUIRE_TOOLS") == "1":
            raise
        pytest.skip("nbclient is not installed")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", ())]
    kinds = {kind: sum(kind in output for output in outputs) for kind in ("image/png", "image/svg+xml", "text/html")}
    assert kinds == {"image/png": 1, "image/svg+xml": 2, "text/html": 1}, "a curve, a position and a game, and a table"
