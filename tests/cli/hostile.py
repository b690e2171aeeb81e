"""Reading files made to do harm costs no more than their size, and their names are only text."""

import ast
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import time
import zipfile

import pytest

from program import PROGRAM, environment, limited, refuses, run, trace
from tensor_files import npy, safetensors


def file(folder, content):
    path = folder / "hostile"
    path.write_bytes(content)
    return str(path)


def refused_cheaply(*arguments, megabytes=60):
    """Returns the error of a run that may take so much memory, and little time."""
    answer = limited(*arguments, megabytes=megabytes)
    lines = 1 + ("\n    attn-walkthrough " in answer.stderr)  # the line to type, if there is one
    assert (answer.returncode, answer.stdout, answer.stderr.count("\n")) == (2, "", lines), answer
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


def test_an_array_that_inflates_to_more_than_a_lesson(tmp_path):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w") as member:
        member.write(npy("(10000, 10000)"))
        for _ in range(400):
            member.write(bytes(10**6))
    error = refused_cheaply("causal", "--input", str(path))
    assert "x.npz: at /x: expected at most 10000000 numbers" in error


def test_one_limit_for_the_numbers_of_all_readers(tmp_path):
    rows, columns = 4001, 2500  # 10,002,500 numbers
    path = file(tmp_path, header := npy(f"({rows}, {columns})"))
    os.truncate(path, len(header) + 4 * rows * columns)
    for command in (["causal", "--input", path], ["diagnose", path]):
        assert "10000000 numbers" in refused_cheaply(*command)


def test_a_walk_that_would_need_too_much_memory(tmp_path):
    path = file(tmp_path, npy("(10000, 1)") + bytes(40_000))
    error = refused_cheaply("causal", "--input", path)
    assert "--input: 10000 tokens need about 7.2 GB of memory; the limit is 2 GB." in error
    assert "Give at most 5270 tokens." in error
    assert "--context-length: 100000 tokens" in refused_cheaply("multi-head", "--context-length=100000")
    many = file(tmp_path, npy("(1600, 3)") + bytes(4 * 1600 * 3))
    error = refused_cheaply("explain", "0.1234", "--input", many)
    assert "1600 tokens need about" in error and "Name fewer stages." in error, error


@pytest.mark.parametrize(
    "line, tokens", [("causal --step queries", 6000), ("leakage", 4600), ("causal --backward", 4500),
                     ("causal", 7000)]
)  # fmt: skip
def test_the_memory_of_a_walk_is_known_before_it(tmp_path, line, tokens):
    path = file(tmp_path, npy(f"({tokens}, 3)") + bytes(12 * tokens))
    error = refused_cheaply(*line.split(), "--quiet", "--input", path)
    fitting = re.search(rf"--input: {tokens} tokens need about \S+ GB .* Give at most (\d+) tokens\.", error)
    assert fitting and 1000 < int(fitting[1]) < tokens


def test_more_runs_of_a_layer_than_are_compared(tmp_path):
    tensor = {"shape": [2, 2], "strides": [2, 1], "dtype": "float32", "data": "AACAPwAAAAAAAAAAAACAPw=="}
    tensors = [tensor | {"names": [name]} for name in ("x", "W_query", "W_key", "W_value", "q", "k", "v")]
    call = {"file": "a.py", "text": "q", "line": 1, "module": "", "callers": []}
    calls = [
        call | {"op": "linear", "arguments": [{"tensor": 0}, {"tensor": i}], "results": [i + 3]}
        for i in (1, 2, 3)
    ]
    for times, message in (100, ""), (4000, "attention layers or parts of them, the limit; record fewer"):
        whole = {"format": "attn-walkthrough/calls", "version": 1, "tensors": tensors, "calls": calls * times}
        answer = run("diagnose", file(tmp_path, json.dumps(whole).encode()))
        assert message in answer.stderr and (answer.returncode == 2) == bool(message), answer


def test_operations_that_lack_an_operand(tmp_path):
    tensors = [{"shape": [2, 2], "strides": [2, 1], "dtype": "float32", "data": "AACAPwAAAAAAAAAAAACAPw==",
                "names": [name]} for name in ("x", "W_query", "q")]  # fmt: skip
    for op in ("addmm", "baddbmm", "linear", "matmul", "softmax", "masked_fill", "einsum", "where", "cat",
               "scaled_dot_product_attention", "triu", "div", "getitem", "setitem", "transpose"):  # fmt: skip
        for given in ([], [{"tensor": 0}], [{"tensor": 0}, {"tensor": 1}], [{"tensor": 0}, None, 0.5]):
            call = {"op": op, "arguments": given, "results": [2], "file": "a.py", "text": "q = …", "line": 1}
            whole = {"format": "attn-walkthrough/calls", "version": 1, "tensors": tensors}
            answer = run("diagnose", file(tmp_path, json.dumps(whole | {"calls": [call] * 3}).encode()))
            assert answer.returncode in (0, 1) and not answer.stderr, (op, given, answer)


def test_powers_of_powers(tmp_path):
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "x = 2" + "**2" * 20_000,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "tensor([0.9544, 1.4950])"}]}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    assert run("diagnose", file(tmp_path, json.dumps(notebook).encode())).returncode in (0, 1)


def test_questions_about_many_heads_and_answers_of_brackets(tmp_path):
    answers = file(tmp_path, json.dumps({"1": "(" * 1_000_000}).encode())
    for line in (["exercises", "multi-head", "--heads", "400"], ["grade", "causal", answers]):
        answer = limited(*line, seconds=5)
        assert answer.returncode in (0, 1) and answer.stdout, answer


def test_exercises_about_wide_inputs_show_no_code_with_their_numbers(tmp_path):
    path = tmp_path / "wide.npy"
    path.write_bytes(npy("(2, 262144)") + struct.pack("<f", 0.5) * 524_288)
    answer = limited("exercises", "causal", "--input", path, seconds=1)
    assert answer.returncode == 0 and answer.stdout, answer


def test_a_token_of_any_length_is_refused_soon(tmp_path):
    text = json.dumps({"tokens": ["<&a " * 500_000, "b"], "embeddings": [[1, 2], [3, 4]]})
    given = file(tmp_path, text.encode())
    answer = limited("causal", "--out", tmp_path / "x.html", "--input", given, seconds=1)
    assert answer.returncode == 2 and "token 0 has 2000000 bytes, more than the limit" in answer.stderr
    assert not (tmp_path / "x.html").exists()


def test_a_notebook_is_no_question(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text('{"nbformat": 4, "cells": []}')
    answer = run("explain", path)
    assert answer.returncode == 2 and "is a file; attn-walkthrough diagnose" in answer.stderr


def test_long_sheets_and_questions(tmp_path):
    for line, text in ((["explain"], "key " * 1_000_000),
                       (["grade", "a.json", "--key"], "{-}" * 1_000_000)):  # fmt: skip
        path = tmp_path / "long.txt"
        path.write_text(text)
        answer = limited(*line, str(path), seconds=2)
        assert answer.returncode == (0 if line == ["explain"] else 2), answer


def test_members_of_a_zip_that_overlap(tmp_path):
    member = npy("(1000, 1000)") + bytes(4_000_000)
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", member)
    whole = path.read_bytes()
    end = whole.index(b"PK\5\6")
    start = int.from_bytes(whole[end + 16 : end + 20], "little")
    entry, count = whole[start:end], 60_000
    size = count * len(entry)
    entries = b"".join(entry.replace(b"a.npy", f"{i:05d}.npy"[-5:].encode()) for i in range(count))
    counts = 2 * count.to_bytes(2, "little") + size.to_bytes(4, "little")
    closing = whole[end : end + 8] + counts + whole[end + 16 :]
    path.write_bytes(whole[:start] + entries + closing)
    assert "x.npz: damaged or truncated ZIP file." in refused_cheaply("diagnose", str(path))


def test_more_tensors_than_are_read(tmp_path):
    path = file(tmp_path, b"a = tensor([[1.0]])\n" * 40_000)
    assert "more than 4096 tensors, the limit." in refused_cheaply("diagnose", path, megabytes=200)


def test_a_cell_with_more_tensors_than_are_read_is_named(tmp_path):
    few, many = cell("print(x)", "tensor([[0.43, 0.15], [0.55, 0.87]])\n"), "tensor([[0.25, 0.5]])\n" * 4097
    limit = "cell {} [1]: more than 4096 tensors or 500000 numbers, the limit for an output."
    for cells, place in (few["cells"] + cell("", many)["cells"], 2), (cell("", many)["cells"], 1):
        path = file(tmp_path, json.dumps(few | {"cells": cells}).encode())
        answer = limited("diagnose", path, "--json", "-")
        assert (answer.returncode, json.loads(answer.stdout)["skipped"]) == (1, [limit.format(place)])
        assert f"Not read: cell {place} [1]: more" in limited("diagnose", path).stdout


def test_more_arrays_than_are_read(tmp_path):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(4097):
            archive.writestr(f"{i}.npy", npy("(2,)") + bytes(8))
    assert "x.npz: more than 4096 tensors, the limit." in refused_cheaply("diagnose", str(path))


@pytest.mark.parametrize("begin, line", [
    ("", "[[1, "), ("", "tensor([1, "), ("", "array([1, "), ("", r"\[tensor([1, "),
    ("tensor([[1.5,\n", "1.5,"),
])  # fmt: skip
def test_lines_of_a_tensor_that_is_not_closed(tmp_path, begin, line):
    path = file(tmp_path, (begin + f"{line}\n" * (200_000 // len(line)) + "x").encode())
    answer = limited("diagnose", path)
    assert answer.returncode == 2 and "hostile:" in answer.stderr, answer


def test_a_long_run_of_backslashes(tmp_path):
    path = file(tmp_path, b"\\" * 500_000)
    assert "no tensor found" in refused_cheaply("diagnose", path)


def test_short_tensors_that_any_changed_input_nearly_explains(tmp_path):
    numbers = [f"{(i * 37 % 101) / 17 - 3:.4f}" for i in range(200)]
    text = "".join(f"x.shape\ntensor([{a}, {b}])\n" for a, b in zip(numbers[::2], numbers[1::2]))
    answer = limited("diagnose", file(tmp_path, text.encode()), seconds=15)
    assert (answer.returncode, answer.stdout.count("shape (2,): ")) == (1, 100), answer


def judged_within(seconds, folder, content, megabytes=1000):
    """Returns the report of diagnose, which may use so much processor time and memory."""
    path = file(folder, json.dumps(content).encode())
    answer = limited("diagnose", path, seconds=seconds, megabytes=megabytes)
    assert answer.returncode in (0, 1), answer.stderr
    return answer.stdout


def cell(source, output):
    return {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "outputs": [{"name": "stdout", "output_type": "stream", "text": output}],
                "source": f"import torch\nx = torch.tensor([[0.43, 0.15], [0.55, 0.87]])\n{source}",
            }
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


SCORES = "tensor([[0.2074, 0.3670],\n        [0.3670, 1.0594]])\n"


def test_many_variables_of_one_tensor(tmp_path):
    source = "".join(f"v{i} = x * {i}\n" for i in range(12_000))
    text = judged_within(3, tmp_path, cell(source + "print(x @ x.T)", SCORES))
    assert text.count("x @ x.T  right") == 1


def test_many_outputs_of_one_cell(tmp_path):
    text = judged_within(4, tmp_path, cell("for i in range(950):\n    print(x @ x.T)", SCORES * 950))
    assert text.count("x @ x.T  right") == 950


@pytest.mark.parametrize("begin, end", [("", ""), ("[", "]")])
def test_many_tensors_in_one_expression(tmp_path, begin, end):
    source = begin + "torch.tensor([1.]), " * 6_000 + end
    judged_within(2, tmp_path, cell(source, ""), megabytes=150)


def test_an_unclosed_tensor_above_many_numbers(tmp_path):
    text = judged_within(4, tmp_path, cell("inputs = torch.tensor([", "tensor(1.)\n" * 4096))
    assert text.count("\n") > 1000


@pytest.mark.parametrize("name", "INT TERM HUP XCPU VTALRM PROF ABRT IO PWR RTMAX".split())
def test_an_interrupted_run_leaves_no_file(tmp_path, name):
    sent = getattr(signal, f"SIG{name}")
    path = file(tmp_path, npy("(700, 1)") + bytes(2_800))
    command = ["prlimit", "--core=0", PROGRAM, "causal", "--input", path, "--json", "x.json"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL)

    def is_being_written(path):
        try:
            return path.suffix == ".tmp" and path.stat().st_size > 0
        except FileNotFoundError:  # it was made only to see whether it can be
            return False

    while not any(map(is_being_written, tmp_path.iterdir())):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(sent)
    assert process.wait() == -sent
    assert [one.name for one in tmp_path.iterdir()] == ["hostile"]


def test_the_header_of_an_array(tmp_path):
    twelve = bytes(48)
    header = npy("(2L, 3L)", twelve, "<f8")  # as Python 2 wrote it
    assert run("simplified --quiet --input", file(tmp_path, header)).returncode == 0
    for wrong, message in (
        (npy("None", twelve, "<f8"), "expected the dictionary that numpy.save writes"),
        (npy("(" + "1, " * 1000 + ")", twelve, "<f8"), "shape (1, 1, 1, 1, 1, 1, 1, 1, …) with type <f8"),
    ):
        error = refused_cheaply("simplified", "--input", file(tmp_path, wrong))
        assert message in error and len(error) < 400


def test_a_long_path_is_cut_in_its_message():
    assert len(refused_cheaply("causal", "--input", "x" * 6000)) < 400


def test_a_key_that_a_paste_has_twice(tmp_path):
    path = file(tmp_path, b'{"a": [[0.5, 1.5], [2.5, 3.5]], "a": [[1.5, 2.5], [3.5, 4.5]]}')
    assert 'duplicate key "a" in one object; keep one.' in refused_cheaply("diagnose", path)


def test_files_larger_than_any_that_is_read(tmp_path):
    for name, content in (
        ("x.npy", npy("(6, 3)")),
        ("x.npz", b""),
        ("y.npz", b"PK\3\4"),
        ("x.safetensors", bytes(8)),
        ("y.safetensors", bytes(8) + b"{}"),
        ("x.txt", b"tensor([1.0])"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        os.truncate(path, 3 << 30)
        for command in (["diagnose"], ["causal", "--input"], ["causal", "--weights"]):
            error = refused_cheaply(*command, str(path))
            assert f"{name}: larger than 268435456 bytes, the limit." in error


def test_an_option_without_its_value_takes_no_file(tmp_path):
    options = json.loads(run("form").stdout)["options"]
    kept = tmp_path / "notes.md"
    kept.write_text("tensor([1.])")
    with_values = [one for one in options if one["value"]]
    assert len(with_values) > 50
    named = {one["name"]: one["command"] for one in with_values} | {"key": "exercises", "out": "diagnose"}
    for name, command in named.items():
        answer = run(command, f"--{name}=", "notes.md", cwd=tmp_path)
        assert answer.returncode == 2 and f"--{name}: " in answer.stderr, answer
        assert "received nothing" in answer.stderr, answer
        assert [one.read_text() for one in tmp_path.iterdir()] == ["tensor([1.])"]


def test_many_wrong_answers_of_a_class(tmp_path):
    answers = {f"student {i}": [str(i % 7 + 11.5)] * 10 for i in range(300)}
    path = file(tmp_path, json.dumps(answers).encode())
    answer = limited("grade", "--count=10", path, seconds=2)
    assert (answer.returncode, answer.stdout.count(": 0 ")) == (1, 300), answer.stdout[-500:]


def test_many_words_that_mean_nothing():
    assert 'no stage or command "keys[9]' in refused_cheaply(
        "diagnose", *(f"keys[9][{i}]" for i in range(100))
    )


def test_a_long_word_is_cut_in_what_is_read():
    answer = run("keys" + "[0]" * 10_000)
    assert (answer.returncode, "read as: " in answer.stderr) == (2, True)
    assert len(answer.stderr) < 1000


@pytest.mark.parametrize("stage", ["simplified", "rotary", "masks"])
def test_a_page_explains_no_number_of_a_whole_tensor(tmp_path, stage):
    words = " ".join(map(str, range(256)))
    answer = limited(stage, "--quiet", "--text", words, f"--out={tmp_path}/x.html", seconds=2, megabytes=150)
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.parametrize("suffix, tokens, megabytes", [("html", 512, 150), ("json", 1024, 200)])
def test_the_files_of_a_long_lesson_take_little_more_than_its_walk(tmp_path, suffix, tokens, megabytes):
    path = file(tmp_path, npy(f"({tokens}, 3)") + struct.pack("<3f", 0.1, 0.2, 0.3) * tokens)
    line = ["causal", "--input", path, f"--out={tmp_path}/x.{suffix}"]
    answer = limited(*line, seconds=6, megabytes=megabytes)
    assert (answer.returncode, answer.stderr) == (0, ""), answer


@pytest.mark.parametrize("shape", ["(2500000,)", "(400000, 6)", "(200000, 6, 2)"])
def test_an_array_that_no_step_is_as_large_as(tmp_path, shape):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy(shape) + bytes(4 * eval(shape.replace(",", "*").replace("*)", ")"))))
    answer = limited("diagnose", str(path), seconds=2)
    assert answer.returncode == 1 and "not recognised" in answer.stdout, answer


def test_views_of_a_recording_that_repeat_few_numbers_often(tmp_path):
    def recording(shape, strides, count=1):
        tensor = {"shape": shape, "strides": strides, "dtype": "float32", "names": []}
        tensors = [tensor | {"data": "AAAAAAAA" * 600}] * count
        whole = {"format": "attn-walkthrough/calls", "version": 1, "tensors": tensors, "calls": []}
        return file(tmp_path, json.dumps(whole).encode())

    for shape, strides in (
        ([300_000, 900], [0, 1]),
        ([2**40, 900], [0, 1]),
        ([2**32, 2**32, 900], [0, 0, 1]),
    ):
        error = refused_cheaply("diagnose", recording(shape, strides))
        assert "at /tensors/0: the shapes repeat more than 16777216 numbers of the data, the limit" in error
    # The numbers of all tensors are counted before those of the first are read.
    error = refused_cheaply("diagnose", recording([4000, 900], [0, 1], count=14), megabytes=20)
    assert "at /tensors/4: the shapes repeat more than" in error
    deep = recording([1] * 10_000 + [900], [0] * 10_000 + [1])
    assert "expected a tensor with strides for each axis." in refused_cheaply("diagnose", deep)
    mask = recording([1000, 900], [0, 1])  # of many heads
    assert run("diagnose", mask).returncode == 1
    error = refused_cheaply("diagnose", mask, f"--out={tmp_path}/x.html")
    assert "the answer to a recording is written as .json, not as .html." in error
    (tmp_path / "x.md").write_text(">>> x = 1\n>>> x\n1\n")
    for others in ((mask, tmp_path / "x.md"), (tmp_path / "x.md", mask)):
        refuses("diagnose", *others, message="is a recording; hand in each recording alone.")


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
    path = file(tmp_path, header := npy("(5000000, 1)"))
    os.truncate(path, len(header) + 4 * 5_000_000)
    assert "expected at most 4000000 tokens but found 5000000" in run("simplified --input", path).stderr


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


NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
ANSWERS = "name,1\nAda,0.5\n"
CAUSAL_CODE = "```python\nprint(keys)\n```\n\n```text\ntensor([[0.1921, 0.1646]])\n```\n"
ROADS = [
    line.split()
    for line in (
        "diagnose class --out class/b.md", "diagnose class/a.md class/b.md --out class/b.md",
        "diagnose class/b.md --out class/b.md", "grade causal --count 1 a.csv b.csv --out b.csv",
        "grade --count 1 a.csv --out a.csv", "causal --set mask=mask.json --json mask.json",
        "causal --set mask=mask.json --out new.md --json mask.json",
        "explain causal context_vec[1][0] --set mask=mask.json --json mask.json",
        "causal --text ./t.md --out t.md --quiet", "causal --text=t.md --out=link.md --quiet",
        "exercises causal --input lesson.md --key lesson.md", "exercises causal --text t.md --out t.md",
        "quiz causal --input lesson.json --json lesson.json",
        "quiz causal --weights weights.json --json weights.json",
        "explain causal keys[0][0] --text t.json --json t.json",
        "causal --weights hard.json --json weights.json",
        "causal --text=- --json=t.json <t.json", "diagnose - --out=class/a.md <class/a.md",
        "quiz --count 1 --json t.json <t.json", "grade - --count 1 --out g.csv <g.csv",
        "causal --input lesson.json --json - >>lesson.json", "diagnose class/a.md >>class/a.md",
        "causal --input=- --json - <lesson.json >>lesson.json",
    )
]  # fmt: skip


@pytest.mark.parametrize("road", ROADS, ids=" ".join)
def test_no_road_leads_from_an_input_back_to_it(tmp_path, road):
    lesson = json.dumps({"tokens": ["a", "b"], "embeddings": [[1.5, 2.0], [3.0, 4.25]]})
    weights = {f"W_{name}.weight": [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]] for name in ("query", "key", "value")}
    (tmp_path / "class").mkdir()
    for name, content in (
        ("class/a.md", CAUSAL_CODE), ("class/b.md", CAUSAL_CODE), ("a.csv", ANSWERS), ("b.csv", ANSWERS),
        ("t.md", "the cat"), ("t.json", "the cat"), ("lesson.json", lesson), ("lesson.md", lesson),
        ("weights.json", json.dumps(weights)), ("mask.json", str([[0.0] * 6] * 6)), ("g.csv", "{\"1\": 5}"),
    ):  # fmt: skip
        (tmp_path / name).write_text(content)
    (tmp_path / "link.md").symlink_to("t.md")
    os.link(tmp_path / "weights.json", tmp_path / "hard.json")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    streams = {}
    for word in [word for word in road if word[0] in "<>"]:
        path = tmp_path / word.lstrip("<>")
        streams["stdin" if word[0] == "<" else "stdout"] = open(path, "rb" if word[0] == "<" else "ab")
    answer = subprocess.run(
        [PROGRAM, *(word for word in road if word[0] not in "<>")],
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE} | streams,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=tmp_path,
        env=environment(),
    )
    assert answer.returncode == 2 and ": this file is the input; give another file" in answer.stderr, answer
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("dtype", [
    "\x1b[2J\x1b]0;x\x07", "F\u202e32", "F32\nW_query  (2, 3)  F32", "\x9b2J", "\ufeffF32", "F\uffff",
    "F" * 500,
])  # fmt: skip
def test_the_type_of_a_tensor_is_only_text(tmp_path, dtype):
    name = "旅" * 1000
    path = file(tmp_path, safetensors({name: (dtype, [2, 3], bytes(24))}))
    (line,) = run("list", path).stdout.splitlines()
    assert line.isprintable() and re.search(r"…  \(2, 3\)  \S", line) and len(line) < 300


def seconds_of(folder, content):
    """Returns the processor time of a diagnosis."""
    path = file(folder, content)
    before = os.times().children_user
    assert run("diagnose", path).returncode in (0, 1)
    return os.times().children_user - before


SEEDED = """import torch
torch.manual_seed(789)
W_query = torch.nn.Linear(3, 2, bias=False).weight
print(W_query)
"""
W_QUERY = "tensor([[ 0.3161,  0.4568,  0.5118],\n        [-0.1683, -0.3379, -0.0918]], requires_grad=True)\n"


def notebook_of(count):
    output = {"output_type": "stream", "name": "stdout", "text": W_QUERY}
    cells = [
        {"cell_type": "code", "execution_count": i + 1, "metadata": {}, "source": SEEDED, "outputs": [output]}
        for i in range(count)
    ]
    return json.dumps(json.loads(NOTEBOOK) | {"cells": cells}).encode()


def markdown_of(count):
    return f"```python\n{SEEDED}```\n\n```text\n{W_QUERY}```\n\n".encode() * count


def test_functions_that_call_themselves_twice(tmp_path):
    twice = "def f{0}(x):\n    return f{0}(x) + f{0}(x)\nprint(f{0}(W_query))\n"
    code = SEEDED + "".join(twice.format(i) for i in range(60))
    assert seconds_of(tmp_path, f"```python\n{code}```\n\n```text\n{W_QUERY * 61}```\n".encode()) < 20


@pytest.mark.parametrize("document", [notebook_of, markdown_of])
def test_a_document_twice_as_long_takes_twice_the_time(tmp_path, document):
    short, long = (seconds_of(tmp_path, document(count)) for count in (1024, 4096))
    assert long < 4 * 1.5 * short + 0.5, (short, long)


def test_thousands_of_tensors_that_nothing_explains(tmp_path):
    rows = [[(i * 37 + j * 101) % 997 / 7 - 71 for j in range(6)] for i in range(4096)]
    tensors = {f"t{i}": ("F32", [2, 3], struct.pack("<6f", *row)) for i, row in enumerate(rows)}
    content = safetensors(tensors)
    assert seconds_of(tmp_path, content) < 6


STAGES = [stage["name"] for stage in json.loads(run("form").stdout)["stages"]]


@pytest.mark.parametrize("suffix", ["ipynb", "md"])
@pytest.mark.parametrize("stage", STAGES)
def test_what_the_program_writes_is_right(tmp_path, stage, suffix):
    path = str(tmp_path / f"x.{suffix}")
    assert run(stage, "--out", path).returncode == 0
    answer = run("diagnose", path)
    assert answer.returncode == 0 and "not recognised" not in answer.stdout, answer.stdout
    assert "a mistake" not in answer.stdout


def test_a_number_that_code_assigns_is_not_an_output(tmp_path):
    code = SEEDED.replace("3, 2", "3, d_out").replace("import torch\n", "import torch\nd_out = 2\n")
    path = file(tmp_path, f"```python\n{code}```\n\n```text\n{W_QUERY}```\n".encode())
    answer = run("diagnose", path)
    assert answer.returncode == 0 and "right, step 2 of linear: W_query" in answer.stdout


def test_the_wrong_view_alone_is_still_a_mistake(tmp_path):
    assert run("multi-head", "--out", str(tmp_path / "x.ipynb")).returncode == 0
    whole = json.loads((tmp_path / "x.ipynb").read_text())
    source = [i for i, cell in enumerate(whole["cells"]) if "head_1 = " in "".join(cell["source"])]
    whole["cells"] = whole["cells"][: source[0]]
    path = file(tmp_path, json.dumps(whole).encode())
    assert "heads-view-without-transpose" in run("diagnose", path).stdout


def test_a_folder_is_called_one(tmp_path):
    for command in (["list", tmp_path], ["causal", "--set", f"mask={tmp_path}"]):
        answer = run(*map(str, command))
        assert answer.returncode == 2
        assert f"{tmp_path}: is a folder; give the path of a file." in answer.stderr


def test_a_long_sentence_names_its_own_option():
    assert "--text: 8000 tokens need" in refused_cheaply("causal", "--text", " ".join(map(str, range(8000))))


def test_a_suggestion_changes_the_file_to_write(tmp_path):
    (tmp_path / "wt.json").write_text('{"tokens": ["a", "b"], "embeddings": [[0.5, 1], [1, 0.25]]}')
    error = run("exercises causal --input wt.json --key wt.json", cwd=tmp_path).stderr
    assert "    attn-walkthrough exercises causal --input wt.json --key " in error
    assert "--key wt.json" not in error


def test_noncharacters_and_links_in_tokens(tmp_path):
    tokens = ["\uffff", "a\ufdd0", "\U0001fffe", "https://x.example/", "www.x.example"]
    (tmp_path / "in.json").write_text(
        json.dumps({"tokens": tokens, "embeddings": [[0.5 * i, 1.0] for i in range(len(tokens))]})
    )
    for suffix in ("html", "json", "md", "ipynb", "tex", "py", "svg", "csv"):
        steps = ["--step=context_vec"] if suffix in ("svg", "csv") else []
        out = tmp_path / f"x.{suffix}"
        assert run("simplified --input", f"{tmp_path}/in.json", *steps, "--out", str(out)).returncode == 0
        assert not {"\uffff", "\ufdd0", "\U0001fffe"} & set(out.read_text()), suffix
    for line in (tmp_path / "x.md").read_text().splitlines():
        assert not line.startswith("Rows: ") or ("https://" not in line and "www.x" not in line), line


def test_devices_without_an_end():
    with open("/dev/full", "rb") as endless:
        answer = run("quiz causal", stdin=endless)
    assert answer.returncode == 2 and "a line is longer than 1048576 bytes, the limit." in answer.stderr
    refuses("causal --input /dev/zero", message="/dev/zero: larger than 1048576 bytes, the limit.")


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="no /dev/shm")
def test_a_file_in_memory_is_replaced():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        out = pathlib.Path(folder, "x.json")
        for _ in range(2):
            assert run("simplified --json", str(out)).returncode == 0
            json.loads(out.read_text())


def test_the_last_of_equal_options_is_corrected():
    for typed, right in [
        ("causal --seed 1 --seed x", "    attn-walkthrough causal --seed 1 --seed 2\n"),
        ("causal --seed --3", "    attn-walkthrough causal --seed 2\n"),
        ("causal --out /dev/stdout", "    attn-walkthrough causal --out -.html\n"),
        ("diagonse", "    attn-walkthrough diagnose mine.ipynb\n"),
    ]:
        with open("/dev/null") as nothing:
            answer = run(typed, stdin=nothing)
        assert answer.returncode == 2 and answer.stderr.endswith(right), answer.stderr


def test_a_line_that_nobody_can_type_is_not_suggested():
    answer = run("causal --seed x --text", "x" * 5000)
    assert answer.returncode == 2 and "\n    attn-walkthrough" not in answer.stderr, answer.stderr
    assert "$'" not in run("masks", "--focus=a\u200db x").stderr


def test_a_report_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    (tmp_path / "mine.txt").write_text("[0.9544, 1.4950]\n")
    message = "or .ipynb for one checked notebook, but received"
    refuses("diagnose mine.txt --out x.ipynb", cwd=tmp_path, message=message)


def test_numbers_of_one_token_are_diagnosed(tmp_path):
    (tmp_path / "x.npy").write_bytes(npy((1, 3), struct.pack("<3f", 1, 1, 1)))
    assert run("diagnose sliding-window x.npy --text a", cwd=tmp_path).returncode == 1


def diagnosed(folder, code, output, megabytes):
    """Returns the answer about a notebook with this cell, within so much memory."""
    shown = {"output_type": "stream", "name": "stdout", "text": output}
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "import torch\n" + code,
            "outputs": [shown]}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    path = file(folder, json.dumps(notebook).encode())
    return limited("diagnose", path, seconds=10, megabytes=megabytes)


@pytest.mark.parametrize("code", [
    "x = inputs.repeat(100000, 100000)",
    "x = inputs\nfor i in range(40): x = (x, x)",
    "x = [" + "[" * 40 + "0" + "".join(f" for i{i} in range(10**9)]" for i in range(40)) + "]",
    "l = [1]\nfor i in range(60): l.append(l)",
    "s = 'a'\nfor i in range(60): s = f'{s}{s}'",
    "m = torch.nn.ModuleList([torch.nn.Linear(1000, 1000) for _ in range(10**9)])",
    "x = torch.arange(1e12)",
    "s = 'a' * 90_000\ns = 'a'\n" + "s = s.replace('a', 'aa')\n" * 16 + "s = s.replace('a', s)",
    "m = torch.nn.Sequential()\nm.append(m)\nm(inputs)\nlist(m.modules())",
    "def f(*a, **k): return f(*a, *a, **k, x=k)\nf(1, a=1)",
    "y = " + "[y for y in " * 5_000 + "x" + "]" * 5_000,
    "m = torch.nn.Linear(3, 3)\n" + "m = torch.nn.Sequential(m, m)\n" * 40 + "list(m.modules())",
    "class A(torch.nn.Module): pass\n" + "class B(A): pass\nclass C(A): pass\nclass A(B, C): pass\n" * 40
    + "A()(inputs)",
    "x = torch.rand(3, 2)\n" + "x = x + x\n" * 10_000,
])  # fmt: skip
def test_what_code_would_make_needs_little(tmp_path, code):
    answer = diagnosed(tmp_path, code, "tensor([0.4419, 0.6515, 0.5683])", megabytes=1200)
    assert answer.returncode == 0 and "context_vec_2" in answer.stdout, answer


@pytest.mark.parametrize("code, megabytes", [
    # Walks of long inputs share one limit, and so do tensors that the code draws.
    ("torch.manual_seed(1)\nx = torch.randn(990, 990)\n" + "x = torch.softmax(x @ x.T, -1)\n" * 99, 800),
    ("x = [torch.randn(6000, 6000) for i in range(5)]", 600),
    # Each seed would be a setting of all stages.
    ("\n".join(f"torch.manual_seed({i})\nx = torch.rand(3, 2)" for i in range(1000)), 300),
])  # fmt: skip
def test_tensors_of_code_are_kept_within_a_limit(tmp_path, code, megabytes):
    answer = diagnosed(tmp_path, code + "\nprint(x)", "tensor([[0.1, 0.2], [0.3, 0.4]])", megabytes)
    assert answer.returncode == 1 and "not recognised" in answer.stdout, answer


def test_a_question_as_long_as_a_book_is_read_at_its_beginning():
    assert "there is no entry" in refused_cheaply("explain", "a " * 60000)
