"""Runs the printed text as a doctest: what a reader sees on the screen is a session that Python itself agrees with.

Arguments: the probe (unused), the program.
"""

import contextlib
import doctest
import io
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import oracle  # noqa: F401  # skips where PyTorch is missing, and pins its arithmetic

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
    ["causal", "--code", "torch", "--step", "attn_weights_causal", "--step", "context_vec"],
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
        for i, options in enumerate(runs):
            answer = subprocess.run([program, *options], input=lesson, capture_output=True, text=True, check=True)
            text = with_blank_lines_marked(answer.stdout)
            file = pathlib.Path(folder, f"{i} {' '.join(options)}.txt")
            file.write_text(text)
            with contextlib.redirect_stdout(io.StringIO()) as report:
                failed, attempted = doctest.testfile(str(file), module_relative=False, encoding="utf-8")
            assert failed == 0, report.getvalue()[-3000:]
            assert attempted == text.count("\n>>> "), (attempted, file.name)
            examples += attempted
    return examples


def agreement(sessions):
    """What main() prints about the sessions that one Python has read; print options stay set in it, and go with it."""
    program, runs, lesson, name = sessions
    return f"{name}: {session_lines_that_agree(program, runs, lesson)} lines of the sessions agree"


def main():
    program = sys.argv[2]
    work = [(program, [options], ONE_TOKEN, " ".join(options)) for options in RUNS]
    chance = random.Random(2)
    for options in WINDOWED:
        windows = [f"--rows={rows}" for rows in random_windows(chance, 4)]
        work.append((program, [[*options, window] for window in windows], TWENTY_TOKENS, " ".join([*options, *windows])))
    # A fork of this Python for each, which has PyTorch loaded: that takes most of a second.
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for line in pool.imap(agreement, work, chunksize=1):
            print(line)


if __name__ == "__main__":
    main()
