"""Compares what the program prints with what PyTorch 2.6 printed, as tests/recorded/record.py stored it."""

import json

import pytest

from program import PROJECT, traced

RECORDED = PROJECT / "tests" / "recorded"


@pytest.mark.parametrize("stage", sorted(file.stem for file in RECORDED.glob("*.json")))
def test_steps_are_printed_as_pytorch_printed_them(stage):
    compared = 0
    for run in json.loads((RECORDED / f"{stage}.json").read_text(encoding="utf-8")):
        walked = traced(stage, run["options"], run["lesson"])
        steps = {step["name"]: step["printed"] for step in walked["steps"]}
        for name, lines in run["printed"].items():
            assert steps[name] == "\n".join(lines), (stage, run["options"], name)
            compared += 1
    assert compared >= 7 or stage in ("head-split", "encoder-decoder"), compared
