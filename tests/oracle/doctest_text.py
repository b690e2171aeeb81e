"""Runs the printed text as a doctest: what a reader sees on the screen is a session that Python itself agrees with.

Arguments: the probe (unused), the program.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import oracle  # skips where PyTorch is missing, and pins its arithmetic for the processes started here

RUNS = [
    ["causal"],
    ["causal", "--seed", "123", "--dropout", "0.1"],
    ["causal", "--dropout-rng", "mkl", "--qkv-bias", "--d-out", "3"],
    ["causal-batch"],
    ["causal-batch", "--context-length", "8", "--dropout", "0.3", "--batch", "1"],
    ["multi-head-wrapper"],
    ["multi-head-wrapper", "--heads", "3", "--qkv-bias", "--dropout", "0.5", "--dropout-rng", "mkl"],
    ["multi-head"],
    ["multi-head", "--heads", "1", "--d-out", "3", "--dropout", "0.5"],
    ["multi-head", "--heads", "3", "--d-out", "12", "--qkv-bias", "--batch", "1"],
    ["multi-head", "--heads", "4", "--d-out", "4", "--input", "-"],
    ["multi-head", "--heads", "2", "--d-out", "2", "--batch", "1", "--input", "-"],
    ["head-split"],
    ["simplified"],
    ["trainable"],
    ["linear", "--qkv-bias", "--dropout", "0.5"],
    ["encoder-decoder"],
    ["numpy"],
    ["leakage"],
    ["scaling"],
    ["streaming"],
    ["numpy", "--code", "torch"],
    ["causal", "--code", "numpy"],
    ["linear", "--qkv-bias", "--dropout", "0.1", "--code", "numpy"],
    ["trainable", "--code", "numpy"],
    ["multi-head", "--heads", "3", "--d-out", "12", "--code", "numpy"],
    ["causal", "--precision", "8"],
    ["causal", "--step", "attn_weights_causal", "--step", "context_vec"],
]

ONE_TOKEN = '{"tokens": ["a"], "embeddings": [[0.5, 0.25]]}'

# Runs that are looked at through windows, between them tensors of every rank, parameters, numbers and arrays.
WINDOWED = [
    ["causal"],
    ["causal", "--dropout-rng", "mkl"],
    ["causal-batch"],
    ["multi-head-wrapper"],
    ["multi-head", "--dropout", "0.5"],
    ["head-split"],
    ["simplified"],
    ["trainable"],
    ["linear", "--qkv-bias"],
    ["encoder-decoder"],
    ["numpy"],
    ["leakage"],
    ["scaling"],
    ["causal", "--code", "numpy"],
    ["numpy", "--code", "torch"],
    ["multi-head", "--input", "-"],  # 20 tokens: the weights are summarised, most windows of them are not
]

TWENTY_TOKENS = json.dumps(
    {"tokens": [str(i) for i in range(20)], "embeddings": [[((i * 7 + j * 5) % 19 - 9) / 8 for j in range(3)] for i in range(20)]}
)


def random_windows(chance, count):
    """Everything, nothing, and windows with ends that are open, negative or beyond the tensor."""

    def end():
        return chance.choice(["", *map(str, range(-8, 9)), "-19", "15", "1000000000", "-1000000000"])

    return [":", "4:2", *(f"{end()}:{end()}" for _ in range(count))]


def with_blank_lines_marked(text):
    """A blank line inside a printed tensor would end it for doctest, which has a sign for that."""
    lines, depth = [], 0
    for line in text.split("\n"):
        if depth > 0 or line.startswith(("tensor(", "Parameter")):
            depth += line.count("(") - line.count(")")
        lines.append("<BLANKLINE>" if depth > 0 and not line else line)
    return "\n".join(lines)


def session_lines_that_agree(program, runs, lesson):
    """How many lines the sessions of some runs hold, all of which one Python agrees with."""
    examples = 0
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for options in runs:
            answer = subprocess.run([program, *options], input=lesson, capture_output=True, text=True, check=True)
            text = with_blank_lines_marked(answer.stdout)
            examples += text.count("\n>>> ")
            files.append(pathlib.Path(folder, f"{len(files)} {' '.join(options)}.txt"))
            files[-1].write_text(text)
        checked = subprocess.run([sys.executable, "-m", "doctest", "-v", *files], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout[-3000:]
    passed = sum(map(int, re.findall(r"^(\d+) passed", checked.stdout, re.M)))
    assert passed == examples, (passed, examples, checked.stdout[-200:])
    return examples


def main():
    program = sys.argv[2]
    for options in RUNS:  # each in a Python of its own, for print options stay set
        print(f"{' '.join(options)}: {session_lines_that_agree(program, [options], ONE_TOKEN)} lines of the session agree")
    chance = random.Random(2)
    for options in WINDOWED:
        windows = [f"--rows={rows}" for rows in random_windows(chance, 4)]
        count = session_lines_that_agree(program, [[*options, window] for window in windows], TWENTY_TOKENS)
        print(f"{' '.join([*options, *windows])}: {count} lines of the sessions agree")


if __name__ == "__main__":
    main()
