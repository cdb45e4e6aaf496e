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
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", ())
                if "image/png" in output.get("data", {})]
    assert len(pictures) == 2
