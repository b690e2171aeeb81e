"""Runs the NumPy lines of every stage, `--code numpy`, and compares the results with `data`."""

import random

import pytest

from oracle import numpy
from program import traced
from runs import STAGES, WIDTHS, random_lesson, random_options, trained_stages

RUNS = 20  # runs of each stage
# The allowed error in rounding errors of the tensor's largest number, because NumPy's exp and its order of
# summation differ from PyTorch's. The difference of two nearly equal numbers needs more of them, and three
# training steps multiply them. Weights and dropout masks are drawn bit for bit.
ROUNDINGS = {"leakage": 64, "training-step": 1024, "causal-batch": 24, "streaming": 24, "kv-cache": 24}
FEW_ROUNDINGS = 16
DRAWN = ("W_query", "W_key", "W_value", "W_out", "b_query", "b_key", "b_value", "b_out", "dropout_example")


def check(name, language, options, lesson):
    stage = traced(name, [f"--code={language}", *options], lesson)
    assert stage["language"] == language, stage["language"]
    assert not any("grad_mode" in line for line in stage["setup"]), stage["setup"]
    namespace = {}
    exec("\n".join(stage["setup"]), namespace)
    for step in stage["steps"]:
        exec("\n".join(step["code"]), namespace)
        ours = numpy.array(step["data"], dtype=numpy.float32)
        theirs = numpy.asarray(namespace[step["name"]], dtype=numpy.float32)
        where = f"{name} {options} {step['name']}"
        assert list(theirs.shape) == step["shape"], (where, theirs.shape)
        assert language == "torch" or (step["grad_fn"] is None and "autograd" not in step), where
        scale = numpy.abs(ours[numpy.isfinite(ours)]).max(initial=0)
        is_drawn = step["name"].rstrip("_0123456789") in DRAWN and "lr *" not in step["code"][-1]
        near = 0 if is_drawn else ROUNDINGS.get(name, FEW_ROUNDINGS) * 2.0**-24 * scale
        if "--backward" in options:
            near = 1e-5  # gradients may be much smaller than the numbers they were computed from
        numpy.testing.assert_allclose(theirs, ours, rtol=0, atol=near, err_msg=where)


@pytest.mark.parametrize("name, language", [*((name, "numpy") for name in STAGES), ("numpy", "torch")])
def test_lines_give_the_data(name, language):
    numpy.seterr(all="ignore")  # overflow is what some steps show
    rng = random.Random(20)
    check(name, language, [], None)
    for run in range(RUNS if STAGES[name] else 0):
        lesson = random_lesson(rng) if "input" in STAGES[name] and run % 2 else None
        check(name, language, random_options(STAGES[name], rng, lesson), lesson)
    if name in trained_stages():
        has_width = not {"d-out", *WIDTHS.values()}.isdisjoint(STAGES[name])
        check(name, language, ["--backward", *["--d-out=8"] * has_width], None)
