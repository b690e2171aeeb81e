"""Failures at the worst moment: no memory, a disk that is full after any number of bytes, a kill."""

# The target must then be the old file or the new one, with no other file left beside it, and there must be
# one message. ATTN_TORTURE=full tries more.

import os
import random
import resource
import signal
import subprocess
import time

import pytest

from program import PROGRAM, ok, run

TIMES = 400 if os.environ.get("ATTN_TORTURE") == "full" else 40
OLD = b"the old file, whole\n"
SUFFIXES = ["json", "npz", "safetensors", "html", "ipynb", "md", "tex"]


def outcome(target, arguments, which, limit):
    """Returns the exit code of a run with too few resources, after checking the files it leaves."""

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
        resource.setrlimit(which, (limit, limit))

    target.write_bytes(OLD)
    answer = run(*arguments, preexec_fn=limited)
    assert [path.name for path in target.parent.iterdir()] == [target.name], (limit, answer)
    if answer.returncode:
        assert (answer.returncode, target.read_bytes()) == (2, OLD), (limit, answer)
        assert answer.stderr.startswith("attn-walkthrough: ") and "internal error" not in answer.stderr
    return answer.returncode


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_disk_that_is_full(suffix, tmp_path):
    target = tmp_path / f"target.{suffix}"
    arguments = ["causal --out", target]
    ok(*arguments)
    whole = target.read_bytes()
    rng = random.Random(3)
    for size in [0, 1, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(TIMES // 4))]:
        assert outcome(target, arguments, resource.RLIMIT_FSIZE, size) == 2, size
    assert outcome(target, arguments, resource.RLIMIT_FSIZE, len(whole)) == 0
    assert target.read_bytes() == whole


@pytest.mark.parametrize("option", ["--json", "--out"])
def test_memory_that_runs_out(option, tmp_path):
    target = tmp_path / ("target.json" if option == "--json" else "target.npz")
    arguments = ["causal-self-attention", option, target]
    limits = [size << 20 for size in range(2, 400, 400 // TIMES)]
    codes = {outcome(target, arguments, resource.RLIMIT_DATA, limit) for limit in limits}
    assert codes == {0, 2}  # both too little and enough were tried


def test_killed_at_any_moment_the_target_is_the_old_file_or_the_new(tmp_path):
    target = tmp_path / "target"
    command = [PROGRAM, "all", "--json", str(target)]
    started = time.perf_counter()
    subprocess.run(command, check=True)
    whole, new = time.perf_counter() - started, target.read_bytes()
    rng = random.Random(3)
    for _ in range(TIMES):
        target.write_bytes(OLD)
        process = subprocess.Popen(command)
        time.sleep(rng.random() * whole * 1.5)
        process.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        process.wait()
        assert target.read_bytes() in (OLD, new)
        for path in tmp_path.iterdir():
            if path != target:
                assert path.name.startswith(".attn-walkthrough-"), path
                path.unlink()


def test_writers_of_one_file_leave_one_whole(tmp_path):
    target = tmp_path / "target"
    commands = [[PROGRAM, "causal", "--json", str(target), f"--seed={seed}"] for seed in range(4)]
    contents = []
    for command in commands:
        subprocess.run(command, check=True)
        contents.append(target.read_bytes())
    writers = [subprocess.Popen(command) for command in commands * 2]
    while any(writer.poll() is None for writer in writers):
        assert target.read_bytes() in contents
    assert [writer.returncode for writer in writers] == [0] * 8 and list(tmp_path.iterdir()) == [target]
