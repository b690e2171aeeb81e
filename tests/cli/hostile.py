"""Reading files made to do harm costs no more than their size, and their names are only text."""

import ast
import os
import re
import subprocess
import zipfile

from program import PROGRAM, environment, run, trace
from tensor_files import npy, safetensors


def file(folder, content):
    path = folder / "hostile"
    path.write_bytes(content)
    return str(path)


def refused_cheaply(*arguments):
    """Returns the error of a run that may use at most 60 MB and 1 s."""
    answer = subprocess.run(
        ["prlimit", f"--data={60 << 20}", "--cpu=1", PROGRAM, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
    )
    assert (answer.returncode, answer.stdout, answer.stderr.count("\n")) == (2, "", 1), answer
    return answer.stderr


def test_a_small_file_that_would_inflate_to_much(tmp_path):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w") as member:
        member.write(npy("(2, 3)"))
        for _ in range(2**5):
            member.write(bytes(2**24))
    assert path.stat().st_size < 600_000
    for stage in ("simplified", "linear"):
        assert f"shape (2, 3) with type <f4 needs 24 bytes but has {2**29}." in refused_cheaply(
            stage, "--input", str(path)
        )


def test_brackets_that_would_take_many_times_the_memory_of_their_text(tmp_path):
    for value in (b"[]", b'""', b"{}"):
        path = file(tmp_path, b"[")
        with open(path, "ab") as text:
            for _ in range(2**8):
                text.write((value + b",") * 2**16)
            text.write(value + b"]")
        answer = run("linear --input", path)
        assert answer.returncode == 2
        assert (
            ": too many values: they need more than 1073741824 bytes of memory, the limit.\n" in answer.stderr
        )


def test_more_tokens_than_can_be_told_apart_on_any_screen(tmp_path):
    path = file(tmp_path, header := npy("(134217728, 1)"))
    os.truncate(path, len(header) + 4 * 2**27)
    assert "expected at most 4000000 tokens but found 134217728" in run("simplified --input", path).stderr


def test_more_heads_than_a_stage_writes_out(tmp_path):
    names = [f"heads.{head}.W_{part}.weight" for head in range(1001) for part in ("query", "key", "value")]
    path = file(tmp_path, safetensors({name: ("F32", [1, 3], bytes(12)) for name in names}))
    assert "has 1001 heads; at most 1000 are supported" in refused_cheaply(
        "multi-head-wrapper", "--weights", path
    )


def test_the_line_to_copy_names_a_tensor_by_a_literal(tmp_path):
    def cuts(prefix):
        tensors = {f"{prefix}{part}_proj.weight": ("F32", [2, 3], bytes(24)) for part in "qkv"}
        line = "causal --heads=1 --head=0 --step=W_query --weights"
        return tensors, [line, file(tmp_path, safetensors(tensors))]

    for prefix in (
        'h.0"] if 0 else __import__("os").system("x") #.', 'a\\"b.', "h.\n0.", "h.\u202e0.", "旅.", "h.'.",
        "\x1b[2J.",
    ):  # fmt: skip
        tensors, command = cuts(prefix)
        literals = re.findall(r"(?m)^# W_\w+ = state_dict\[(.*)\]$", "\n".join(trace(*command)["setup"]))
        assert [ast.literal_eval(literal) for literal in literals] == list(tensors)
    assert "cannot choose" in run(*cuts("h.0\\")[1]).stderr  # no part of the model has this name
