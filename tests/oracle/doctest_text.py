"""Runs the printed text as a doctest: what a reader sees on the screen is a session that Python itself agrees with.

Arguments: the probe (unused), the program.
"""

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
    ["numpy", "--code", "torch"],
    ["causal", "--code", "numpy"],
    ["linear", "--qkv-bias", "--dropout", "0.1", "--code", "numpy"],
    ["trainable", "--code", "numpy"],
    ["multi-head", "--heads", "3", "--d-out", "12", "--code", "numpy"],
    ["causal", "--precision", "8"],
    ["causal", "--step", "attn_weights_causal", "--step", "context_vec"],
]

ONE_TOKEN = '{"tokens": ["a"], "embeddings": [[0.5, 0.25]]}'


def with_blank_lines_marked(text):
    """A blank line inside a printed tensor would end it for doctest, which has a sign for that."""
    lines, depth = [], 0
    for line in text.split("\n"):
        if depth > 0 or line.startswith(("tensor(", "Parameter")):
            depth += line.count("(") - line.count(")")
        lines.append("<BLANKLINE>" if depth > 0 and not line else line)
    return "\n".join(lines)


def main():
    program = sys.argv[2]
    for options in RUNS:
        answer = subprocess.run([program, *options], input=ONE_TOKEN, capture_output=True, text=True, check=True)
        text = with_blank_lines_marked(answer.stdout)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            checked = subprocess.run([sys.executable, "-m", "doctest", "-v", file.name], capture_output=True, text=True)
        examples = text.count("\n>>> ")
        assert checked.returncode == 0, checked.stdout[-3000:]
        assert f"{examples} passed" in checked.stdout, (examples, checked.stdout[-200:])
        print(f"{' '.join(options)}: {examples} lines of the session agree")


if __name__ == "__main__":
    main()
