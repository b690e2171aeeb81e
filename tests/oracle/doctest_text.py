"""Runs the printed text as a doctest: what a reader sees on the screen is a session that Python itself agrees with.

Arguments: the probe (unused), the program.
"""

import os
import subprocess
import sys
import tempfile

import oracle  # skips where PyTorch is missing, and pins its arithmetic for the processes started here

RUNS = [
    ["causal"],
    ["causal", "--seed", "123", "--dropout", "0.1"],
    ["causal", "--dropout-rng", "mkl", "--qkv-bias", "--d-out", "3"],
    ["simplified"],
    ["trainable"],
    ["linear", "--qkv-bias", "--dropout", "0.5"],
    ["encoder-decoder"],
    ["causal", "--step", "attn_weights_causal", "--step", "context_vec"],
]


def main():
    program = sys.argv[2]
    for options in RUNS:
        text = subprocess.run([program, *options], capture_output=True, text=True, check=True).stdout
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            checked = subprocess.run([sys.executable, "-m", "doctest", "-v", file.name], capture_output=True, text=True)
        examples = text.count("\n>>> ")
        assert checked.returncode == 0, checked.stdout[-3000:]
        assert f"{examples} passed" in checked.stdout, (examples, checked.stdout[-200:])
        print(f"{' '.join(options)}: {examples} lines of the session agree")


main()
