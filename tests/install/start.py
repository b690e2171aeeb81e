"""Fails if the program takes more than 1.5 times the processor time of an empty program to start: the median
of 100 pairs of processes. Argument: the program.
"""

import os
import statistics
import subprocess
import sys
import tempfile


def seconds(*command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime


program = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    empty = f"{folder}/empty"
    subprocess.run(["c++", "-O2", "-x", "c++", "-", "-o", empty], input=b"int main() {}", check=True)
    ratios = [seconds(program, "--version") / seconds(empty) for _ in range(100)]
ratio = statistics.median(ratios)
print(f"{program} takes {ratio:.2f} times as long to start as an empty program")
sys.exit(ratio > 1.5)
