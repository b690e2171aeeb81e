"""Runs the printed text as a doctest: the text on the screen is a session that Python confirms."""

import doctest
import json
import random
import re
import subprocess
import sys

import pytest

import oracle  # skips without PyTorch, and fixes its arithmetic
from program import ok, run, trace

RUNS = [
    "causal",
    "causal --seed 123 --dropout 0.1",
    "causal --dropout-rng mkl --qkv-bias --d-out 3",
    "causal-batch",
    "causal-batch --context-length 8 --dropout 0.3 --batch 1",
    "multi-head-wrapper",
    "multi-head-wrapper --heads 3 --qkv-bias --dropout 0.5 --dropout-rng mkl",
    "multi-head",
    "multi-head --all-heads --dropout 0.1 --dropout-seed 7",
    "kv-cache",  # sci_mode=False
    "grouped-query",
    "multi-head --heads 1 --d-out 3 --dropout 0.5",
    "multi-head --heads 3 --d-out 12 --qkv-bias --batch 1",
    "multi-head --heads 4 --d-out 4 --input -",
    "multi-head --heads 2 --d-out 2 --batch 1 --input -",
    "head-split",
    "simplified",
    "trainable",
    "linear --qkv-bias --dropout 0.5",
    "encoder-decoder",
    "numpy",
    "leakage",
    "scaling",
    "streaming",
    "numpy --code torch",
    "causal --code numpy",
    "linear --qkv-bias --dropout 0.1 --code numpy",
    "trainable --code numpy",
    "multi-head --heads 3 --d-out 12 --code numpy",
    "causal --precision 8",
    "causal --code torch --step attn_weights_causal --step context_vec",
]

ONE_TOKEN = '{"tokens": ["a"], "embeddings": [[0.5, 0.25]]}'

# Runs to print through windows. Together they have tensors of every rank, parameters, numbers and arrays.
WINDOWED = [
    "causal",
    "causal --dropout-rng mkl",
    "causal-batch",
    "multi-head-wrapper",
    "multi-head --dropout 0.5",
    "head-split",
    "simplified",
    "trainable",
    "linear --qkv-bias",
    "encoder-decoder",
    "numpy",
    "leakage",
    "scaling",
    "causal --code numpy",
    "numpy --code torch",
    "multi-head --input -",  # 20 tokens: the weights are summarised, but most windows of them are not
]

TWENTY_TOKENS = json.dumps(
    {
        "tokens": [str(i) for i in range(20)],
        "embeddings": [[((i * 7 + j * 5) % 19 - 9) / 8 for j in range(3)] for i in range(20)],
    }
)


def random_windows(chance, count):
    """Returns windows: everything, nothing, and ends that are open, negative or beyond the tensor."""

    def end():
        return chance.choice(["", *map(str, range(-8, 9)), "-19", "15", "1000000000", "-1000000000"])

    return [":", "4:2", *(f"{end()}:{end()}" for _ in range(count))]


def with_blank_lines_marked(text):
    """Marks blank lines inside a printed tensor, because doctest would end the output there."""
    lines, depth = [], 0
    for line in text.split("\n"):
        if depth > 0 or line.startswith(("tensor(", "Parameter")):
            depth += line.count("(") - line.count(")")
        lines.append("<BLANKLINE>" if depth > 0 and not line else line)
    return "\n".join(lines)


class Newer(doctest.OutputChecker):
    """Accepts what 2.14 prints differently: the grad_fn of slices that keep all, and narrower columns."""

    has_exponents = True

    def check_output(self, want, got, flags):
        got = got.replace("AliasBackward0", "SliceBackward0")
        if not self.has_exponents:
            want, got = (re.sub(r"\[ ", "[", re.sub(r"(<BLANKLINE>|\s)+", " ", x)) for x in (want, got))
        return super().check_output(want, got, flags)


def agrees(line, lesson):
    oracle.torch.set_printoptions(profile="default")
    answer = run(line, stdin=lesson)
    assert (answer.returncode, answer.stderr) == (0, "")
    text = with_blank_lines_marked(answer.stdout)
    test = doctest.DocTestParser().get_doctest(text, {}, line, None, 0)
    assert len(test.examples) == text.count("\n>>> ") > 0
    report = []
    checker = Newer() if oracle.has_narrow_columns else doctest.OutputChecker()
    checker.has_exponents = "sci_mode=False" not in text
    runner = doctest.DocTestRunner(checker, verbose=False)
    assert runner.run(test, out=report.append).failed == 0, "".join(report)


@pytest.mark.parametrize("line", RUNS)
def test_a_session_agrees(line):
    agrees(line, ONE_TOKEN)


@pytest.mark.parametrize("line", WINDOWED)
def test_windows_of_rows_agree(line):
    for rows in random_windows(random.Random(line), 4):
        agrees(f"{line} --rows={rows}", TWENTY_TOKENS)


def test_an_exported_script_prints_the_tensors(tmp_path):
    (tmp_path / "causal.py").write_text(ok("causal --out -.py"))
    command = [sys.executable, "causal.py"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    at = 0
    for step in trace("causal")["steps"]:
        at = printed.index(step["printed"], at) + 1
