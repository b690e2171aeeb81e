"""Runs the NumPy lines of every stage, `--code numpy`, and holds what they make against `data`.

NumPy's own exp and order of summation differ from PyTorch's in the last bits, so a number may be off by a few float32
roundings of the largest in its tensor. What is drawn, weights and dropout masks, must be the same bit for bit. The
PyTorch lines of the stage whose document is written in NumPy are run as well. How far off the worst is, is reported.
Arguments: the probe (unused), the program.
"""

import json
import random
import subprocess
import sys

from oracle import numpy, torch
from runs import STAGES, command_line, flat, random_lesson, random_options

RUNS = 20  # of each stage
# How many roundings of its tensor's largest number a number may be off. What is left of the difference of two nearly
# equal numbers has more of them, and three training steps multiply them.
ROUNDINGS = {"leakage": 64, "training-step": 1024, "causal-batch": 24, "streaming": 24, "kv-cache": 24}
FEW_ROUNDINGS = 16
DRAWN = ("W_query", "W_key", "W_value", "W_out", "b_query", "b_key", "b_value", "b_out", "dropout_example")


def check(program, name, language, options, lesson):
    """The number of steps, of numbers, of those in other bits, and the largest difference in roundings."""
    command = command_line(program, name, ["--code", language, *options], lesson)
    answer = subprocess.run(command, input=json.dumps(lesson), capture_output=True, text=True)
    assert answer.returncode == 0, (command, answer.stderr)
    stage = json.loads(answer.stdout)["stages"][0]
    assert stage["language"] == language, stage["language"]
    namespace = {}
    exec("\n".join(stage["setup"]), namespace)
    count, numbers, differing, worst = 0, 0, 0, 0.0
    for step in stage["steps"]:
        exec("\n".join(step["code"]), namespace)
        ours = numpy.array([float(x) for x in flat(step["data"])], dtype=numpy.float32)
        theirs = numpy.asarray(namespace[step["name"]], dtype=numpy.float32)
        where = f"{' '.join(command)}\n{step['name']}: "
        assert list(theirs.shape) == step["shape"], (where, theirs.shape)
        assert language == "torch" or step["grad_fn"] is None, where
        theirs = theirs.flatten()
        finite = numpy.isfinite(ours)
        assert (finite == numpy.isfinite(theirs)).all(), where
        same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
        assert same[~finite].all(), where
        off = numpy.abs(ours[finite].astype(float) - theirs[finite]).max(initial=0)
        scale = numpy.abs(ours[finite]).max(initial=0)
        roundings = off / (scale * 2.0**-24) if off else 0.0
        drawn = step["name"].rstrip("_0123456789") in DRAWN and "lr *" not in step["code"][-1]  # trained is not drawn
        if roundings > ROUNDINGS.get(name, FEW_ROUNDINGS) or (drawn and not same.all()):
            sys.exit(f"{where}off by {roundings:.1f} roundings\n{ours}\n{theirs}")
        count, numbers, differing, worst = count + 1, numbers + same.size, differing + int((~same).sum()), max(worst, roundings)
    return count, numbers, differing, worst


def main():
    program = sys.argv[2]
    numpy.seterr(all="ignore")  # overflow is what some steps show
    runs = [(name, "numpy", options) for name, options in STAGES.items()] + [("numpy", "torch", STAGES["numpy"])]
    for name, language, options in runs:
        rng = random.Random(20)
        results = [check(program, name, language, [], None)]
        for run in range(RUNS if options else 0):
            lesson = random_lesson(rng) if "input" in options and run % 2 else None
            results.append(check(program, name, language, random_options(options, rng, lesson), lesson))
        steps, numbers, differing, worst = zip(*results)
        assert sum(steps) > len(results)
        print(
            f"{name} in {language}: {len(results)} runs, {sum(steps)} steps, {sum(numbers)} numbers, {sum(differing)} in other "
            f"bits, the worst {max(worst):.1f} roundings of its tensor's largest number off"
        )


main()
