"""Notebooks that diagnose judges cell by cell: verdicts, exit codes, the checked notebook, and reports."""

import csv
import io
import json

import pytest

from program import ok

INPUTS = """import torch
inputs = torch.tensor([
    [0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])"""
SCORES = """tensor([[0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
        [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
        [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
        [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
        [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
        [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450]])
"""
COLUMNS = """tensor([[0.2098, 0.1385, 0.1390, 0.1435, 0.1526, 0.1385],
        [0.2006, 0.2379, 0.2369, 0.2074, 0.1958, 0.2184],
        [0.1981, 0.2333, 0.2326, 0.2046, 0.1975, 0.2128],
        [0.1242, 0.1240, 0.1242, 0.1462, 0.1367, 0.1420],
        [0.1220, 0.1082, 0.1108, 0.1263, 0.1879, 0.0988],
        [0.1452, 0.1581, 0.1565, 0.1720, 0.1295, 0.1896]])
"""
SUMS = "tensor([0.9220, 1.2970, 1.2788, 0.7974, 0.7540, 0.9508])\n"
WRONG = [
    (INPUTS, ""),
    ("scores = inputs @ inputs.T\nprint(scores)", SCORES),
    ("weights = torch.softmax(scores, dim=0)\nprint(weights)", COLUMNS),
    ("print(weights.sum(dim=-1))", SUMS),
    ("print(scores.sum())", "tensor(29.0070)\n"),
]


def notebook(cells):
    """Returns a notebook of (source, output) pairs, run in order."""
    return json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "execution_count": count,
                    "metadata": {},
                    "outputs": [{"name": "stdout", "output_type": "stream", "text": text}] if text else [],
                    "source": source,
                }
                for count, (source, text) in enumerate(cells, 1)
            ],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )


@pytest.fixture
def wrong(tmp_path):
    path = tmp_path / "wrong.ipynb"
    path.write_text(notebook(WRONG))
    return path


def test_every_output_has_a_verdict_and_the_first_departure_is_named(wrong):
    judged = json.loads(ok("diagnose --json -", wrong, code=1))["tensors"]
    assert [one["verdict"] for one in judged] == ["right", "mistake", "follows", "by-product"]
    assert [one["cell"] for one in judged] == [1, 2, 3, 4]
    assert judged[1]["matches"][0]["mistakes"] == ["softmax-wrong-axis"]
    assert judged[1]["yours"]["line"] == "weights = torch.softmax(scores, dim=0)"
    text = ok("diagnose", wrong, code=1)
    assert "The first output that departs is cell 3 [3], weights:" in text


def test_right_outputs_exit_with_0(tmp_path):
    path = tmp_path / "right.ipynb"
    path.write_text(notebook(WRONG[:2]))
    assert "right, step" in ok("diagnose", path)


def test_a_checked_notebook_differs_only_by_the_verdicts(wrong, tmp_path):
    checked = tmp_path / "checked.ipynb"
    ok("diagnose", wrong, "--out", checked, code=1)
    after = json.loads(checked.read_text())
    added = [cell["outputs"].pop() for cell in after["cells"] if cell["source"] != INPUTS]
    assert after == json.loads(wrong.read_text())
    assert "softmax-wrong-axis" in added[1]["data"]["text/plain"]


def test_a_folder_gives_a_report_with_a_row_for_each_notebook(wrong, tmp_path):
    (tmp_path / "right.ipynb").write_text(notebook(WRONG[:2]))
    report = tmp_path / "report.csv"
    ok("diagnose", tmp_path, "--out", report, code=1)
    rows = list(csv.DictReader(io.StringIO(report.read_text())))
    assert [row["outputs"] for row in rows] == ["1", "4"]
    assert [row["first departure"] for row in rows] == ["", "cell 3 [3]"]


def test_code_is_not_executed(tmp_path):
    path = tmp_path / "loop.ipynb"
    path.write_text(notebook([("open('made', 'w')\nwhile True:\n    x = 1\nprint(x)", "1.2345\n")]))
    ok("diagnose", path, code=1, cwd=tmp_path)
    assert not (tmp_path / "made").exists()
