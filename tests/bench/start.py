#!/usr/bin/env python3
"""Measures how much longer the program takes to start than an empty program of the same compiler, in
processor time of whole processes, in pairs. Fails above --most.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile


def run(*command):
    """Returns the processor time in seconds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command} ended with {process.returncode}"
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--most", type=float, default=float("inf"))
    options = parser.parse_args()
    program = options.program.resolve()
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder) / "empty"
        subprocess.run(
            [options.compiler, "-O2", "-x", "c++", "-", "-o", empty], input=b"int main() {}", check=True
        )
        pairs = [(run(program, "--version"), run(empty)) for _ in range(options.pairs)]
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    ours, theirs = (1000 * statistics.median(times) for times in zip(*pairs))
    print(
        f"{options.program} starts in {ours:.2f} ms of processor time, an empty program in {theirs:.2f} ms: "
        f"{ratio:.2f} times,"
        f" median of {options.pairs} pairs"
    )
    if ratio > options.most:
        raise SystemExit(f"more than {options.most} times")


if __name__ == "__main__":
    main()
