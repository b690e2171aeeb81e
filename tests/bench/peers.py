"""Runs each benchmark in turns with the same work in PyTorch and with the processor's peak, so that all see
the same conditions. Prints medians and ratios. Arguments: attn-bench, then rows or parts of their names
(default: those in the README). ROUNDS=5 is the number of turns; ATTN_ISA=v3 selects AVX2 for both.
"""

import ctypes
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time

# Debian's OpenBLAS takes recent processors for old ones and is then five times slower, so the type is set
# before it is loaded.
FLAGS = re.search(r"^flags\s*:(.*)$", open("/proc/cpuinfo").read(), re.M).group(1).split()
LEVEL = os.environ.get("ATTN_ISA") or ("v4" if "avx512f" in FLAGS else "v3")
CORE = "SkylakeX" if LEVEL == "v4" else "Haswell"
if os.environ.get("OPENBLAS_CORETYPE") != CORE or "OPENBLAS_NUM_THREADS" in os.environ:
    environment = {
        k: v for k, v in os.environ.items() if k not in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    }
    os.execve(sys.executable, [sys.executable, "-B", *sys.argv], environment | {"OPENBLAS_CORETYPE": CORE})

import torch  # noqa: E402

BENCH, WANTED = sys.argv[1], sys.argv[2:]
ROUNDS = int(os.environ.get("ROUNDS", "5"))
DEFAULT = [
    "matmul/1536/",
    "fused_attention/1024/",
    "fused_attention/4096/",
    "fused_attention/16384/",
    "materialised_attention/1024/2",
    "gpt2_layer/1024/",
    "json_export/1024",
    "json_import/4096",
]
WIDTH, HEADS = 768, 12
OF_OPERATIONS = f"""{'':34}{'milliseconds':>17}{'ratio':>7}{'':8}{'GFLOP/s':>24}{'of limit':>10}
{'row':34}{'ours':>8}{'PyTorch':>9}{'':7}{'by CPU':>8}{'ours':>8}{'PyTorch':>9}{'limit':>7}\
{'':10}{'by CPU':>8}{'peak MB':>9}{'× data':>8}"""
OF_BYTES = f"\n{'row':34}{'ms':>8}{'MB/s':>8}{'peak MB':>9}{'× data':>8}"


def attention(queries, keys, values, mask):
    """Computes attention as the documents write it."""
    scores = (queries @ keys.transpose(-2, -1)).masked_fill_(mask, -torch.inf)
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values


def peer(name):
    """Returns the same work in PyTorch, or None."""
    kind, *sizes = name.split("/")
    sizes = [int(size) for size in sizes]
    if kind == "matmul":
        a, b = torch.randn(sizes[0], sizes[0]), torch.randn(sizes[0], sizes[0])
        return lambda: a @ b
    if kind.endswith("_attention"):
        length, heads, width, _ = sizes
        queries, keys, values = (torch.randn(heads, length, width) for _ in range(3))
        mask = torch.triu(torch.ones(length, length), diagonal=1).bool()
        return lambda: attention(queries, keys, values, mask)
    if kind == "gpt2_layer":
        length = sizes[0]
        x = torch.randn(length, WIDTH)
        c_attn, c_proj = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        mask = torch.triu(torch.ones(length, length), diagonal=1).bool()

        def layer():
            split = lambda y: y.reshape(length, HEADS, WIDTH // HEADS).transpose(0, 1)
            context = attention(*(split(part) for part in c_attn(x).split(WIDTH, dim=-1)), mask)
            return c_proj(context.transpose(0, 1).reshape(length, WIDTH))

        return layer
    return None


def peer_milliseconds(run, seconds=0.3):
    """Returns wall-clock and processor time per run, after a first run that does not count."""
    run()
    start, cpu, runs = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - start < seconds:
        run()
        runs += 1
    return [1000 * elapsed / runs for elapsed in (time.perf_counter() - start, time.process_time() - cpu)]


def ours(name):
    """Runs one row of attn-bench in a process of its own."""
    command = [
        BENCH,
        f"--benchmark_filter=^{re.escape(name)}$",
        "--benchmark_min_time=0.3",
        "--benchmark_format=json",
    ]
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    (row,) = json.loads(answer.stdout)["benchmarks"]
    return row


def main():
    listed = subprocess.run(
        [BENCH, "--benchmark_list_tests"], capture_output=True, text=True, check=True
    ).stdout.split()
    names = [name for name in listed if any(name.startswith(wanted) for wanted in WANTED or DEFAULT)]
    set_blas_threads = ctypes.CDLL("libopenblas.so.0").openblas_set_num_threads
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo").read(), re.M).group(1)
    print(
        f"{model}, {os.cpu_count()} threads; PyTorch {torch.__version__} with OpenBLAS as {CORE}; Python "
        f"{platform.python_version()}"
    )
    print("limit: multiply-adds from registers to registers, GFLOP/s by level and threads:", end="")
    for name in listed:
        if name.startswith("fma_peak/"):
            print(
                f" {name.removeprefix('fma_peak/')} "
                f"{max(ours(name)['FLOP/s'] for _ in range(ROUNDS)) / 1e9:.4g}",
                end=",",
            )
    print(f" here {LEVEL}")
    print(
        f"medians of {ROUNDS} turns; ratio: how many times faster than PyTorch. By the clock, and by the "
        "time of all processors,"
    )
    print("which other work on the machine disturbs less\n")
    heading = ""
    for name in names:
        heading_before, heading = heading, OF_BYTES if name.startswith("json") else OF_OPERATIONS
        if heading != heading_before:
            print(heading)
        run = peer(name)
        if run is not None:
            threads = int(name.split("/")[-1])
            torch.set_num_threads(threads)
            set_blas_threads(threads)
        rows, peers = [], []
        with torch.no_grad():
            for _ in range(ROUNDS):
                rows.append(ours(name))
                if run is not None:
                    peers.append(peer_milliseconds(run))
        median = lambda values: statistics.median(list(values))
        line = f"{name:34}{median(row['real_time'] for row in rows):8.2f}"
        if run is not None:
            # The ratio is computed per turn, because disturbances of the machine affect both halves of a
            # turn.
            ratio = median(clock / row["real_time"] for row, (clock, _) in zip(rows, peers))
            line += f"{median(clock for clock, _ in peers):9.2f}"
            line += f"{ratio:7.2f}{median(cpu / row['CPU ms'] for row, (_, cpu) in zip(rows, peers)):8.2f}"
            flops = median(row["FLOP/s"] for row in rows) / 1e9
            line += f"{flops:8.1f}{flops / ratio:9.1f}{median(row['limit'] for row in rows) / 1e9:7.1f}"
            line += f"{median(row['of limit'] for row in rows):10.2f}"
            line += f"{median(row['of limit by CPU'] for row in rows):8.2f}"
        else:
            line += f"{median(row['bytes/s'] for row in rows) / 1e6:8.0f}"
        peak = max(row["peak"] for row in rows)
        print(line + f"{peak / 1e6:9.0f}{peak / rows[0]['bytes']:8.1f}", flush=True)


main()
