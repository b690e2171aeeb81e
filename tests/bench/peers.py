"""Runs each benchmark in turns with the same work in PyTorch, so that both see the same conditions, and
prints medians. Arguments: attn-bench, then rows or the beginnings of their names (default: those in
lib/README.md). ATTN_ISA=v3 selects AVX2 for both.
"""

import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import time

# Debian's OpenBLAS takes recent processors for old ones and is then five times slower, so the type is set
# before it is loaded.
with open("/proc/cpuinfo") as file:
    LEVEL = os.environ.get("ATTN_ISA") or ("v4" if "avx512f" in file.read() else "v3")
os.environ["OPENBLAS_CORETYPE"] = CORE = "SkylakeX" if LEVEL == "v4" else "Haswell"

import torch  # noqa: E402

BENCH, *WANTED = sys.argv[1:]
TURNS = 5
DEFAULT = ("matmul/1536/",)


def milliseconds(run):
    """Returns processor time per run, after a first run that does not count."""
    run()
    start, cpu, runs = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - start < 0.3:
        run()
        runs += 1
    return 1000 * (time.process_time() - cpu) / runs


def bench(*options):
    return subprocess.run([BENCH, *options], stdout=subprocess.PIPE, text=True, check=True).stdout


print(f"medians of {TURNS} turns, in processor time; OpenBLAS as {CORE}, our level {LEVEL}")
print(f"{'row':28}{'ours, ms':>10}{'PyTorch, ms':>13}{'times faster':>14}{'of peak':>9}")
set_blas_threads = ctypes.CDLL("libopenblas.so.0").openblas_set_num_threads
torch.set_grad_enabled(False)
for name in bench("--benchmark_list_tests").split():
    if not name.startswith(tuple(WANTED or DEFAULT)):
        continue
    _, size, threads = name.split("/")
    torch.set_num_threads(int(threads))
    set_blas_threads(int(threads))
    a, b = torch.randn(int(size), int(size)), torch.randn(int(size), int(size))
    turns = []
    for _ in range(TURNS):
        options = f"--benchmark_filter=^{re.escape(name)}$", "--benchmark_min_time=0.3"
        (row,) = json.loads(bench(*options, "--benchmark_format=json"))["benchmarks"]
        ours, peers = row["CPU ms"], milliseconds(lambda: a @ b)
        turns.append((ours, peers, peers / ours, row["of peak"]))
    ours, peers, ratio, share = map(statistics.median, zip(*turns))
    print(f"{name:28}{ours:10.2f}{peers:13.2f}{ratio:14.2f}{share:9.2f}", flush=True)
