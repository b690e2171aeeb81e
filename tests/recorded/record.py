"""Records what PyTorch prints for some steps of every stage, in one file per stage.

tests/oracle/torch.sh tests/recorded/record.py [FOLDER] runs the stages' lines of code in PyTorch 2.6 and
writes the files; tests/cli/recorded.py compares them with what the program prints."""

import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE.parent / "oracle")]

from oracle import torch
from program import listed, traced
from runs import STAGES, as_lesson, random_options, trained_stages
from transcripts import as_tensor

# Products of fewer than 8 columns have one order of summation in every BLAS.
NARROW = {
    "d-out": "d-out below 8",
    "heads of d-out": "few heads",
    "groups of heads": "few groups",
    "heads of d-model": "few heads",
}
STEPS = 7  # steps of each run
LONGEST = 4000  # characters of a tensor


def runs(stage):
    """Returns the options and the lesson of each run of a stage."""
    rng = random.Random(stage)
    settings = [NARROW.get(setting, setting) for setting in STAGES[stage]]
    if stage != "causal-self-attention":  # its products have 512 terms, whose order is BLAS's
        yield [], None
    for _ in range(2 if settings else 0):
        lesson = None
        if "input" in settings and rng.random() < 0.5:
            width = rng.randint(1, 7)
            rows = range(rng.randint(1, 7))
            lesson = as_lesson([[round(rng.uniform(-9, 9), 3) for _ in range(width)] for _ in rows])
        yield random_options(settings, rng, lesson), lesson
    if stage in trained_stages():
        yield [*random_options(settings, rng), "--backward"], None


def recorded(stage):
    """Returns the runs of a stage, each with the printed text of some steps as PyTorch prints it."""
    rng, result = random.Random(stage), []
    for options, lesson in runs(stage):
        torch.set_printoptions(profile="default")
        torch.set_grad_enabled(True)
        names, printed = {}, {}
        trace = traced(stage, options, lesson)
        exec("\n".join(trace["setup"]), names)
        for step in trace["steps"]:
            exec("\n".join(step["code"]), names)
            text = str(as_tensor(names[step["name"]]))
            if len(text) <= LONGEST:
                printed[step["name"]] = text.split("\n")
        chosen = set(rng.sample([*printed], min(STEPS, len(printed))))
        printed = {name: lines for name, lines in printed.items() if name in chosen}
        result.append({"options": options, "lesson": lesson, "printed": printed})
    return result


def record(folder):
    for stage in listed():
        text = json.dumps(recorded(stage), indent=1, ensure_ascii=False)
        (folder / f"{stage}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    record(pathlib.Path(sys.argv[1]) if sys.argv[1:] else HERE)
