"""Attempts to break the program, drawn by Hypothesis, which makes a successful attempt smaller."""

# Whatever its input, the program ends with exit code 0, 1 or 2, in time, without a sanitizer's report or an
# internal error. Input is rejected with one message without control characters.

import json
import os
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from program import LESSON, own_weights, run
from tensor_files import npy, safetensors

ATTEMPTS = int(os.environ.get("ATTN_ATTEMPTS", "60"))  # of each kind, with a new seed each time
SECONDS = 120  # for one run, next to others and under the sanitizers
CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffd]")
REPORT = re.compile(r"AddressSanitizer|runtime error:|LeakSanitizer|internal error|terminate called")
OPTIONS = json.loads(run("form").stdout)["options"]
STAGES = sorted({stage for option in OPTIONS for stage in option.get("stages", [])})
WEIGHTS = own_weights(("F32", (2, 3), bytes(24)))
FILES = [npy("(2, 3)", bytes(24)), npy("(2, 3)", bytes(48), "<f8", True),
         safetensors(WEIGHTS), safetensors(WEIGHTS, {"format": "pt"}),
         json.dumps(LESSON).encode(), json.dumps(own_weights([[0.5] * 3] * 2)).encode(),
         b"tensor([[0.1921, 0.1646], [0.2041, 0.1659]])", b"array([1.], dtype=float16)",
         b"\xef\xbb\xbf{}", b""]  # fmt: skip

words = st.sampled_from(["attn_weights", "attn_weights[1][0]", "context_vec[-1, 2]", "inputs[1][0]=nan",
                         "journey", ":3", "-2:", "halves:1e9", "", "\x1b[2J", "因果", "\u202e", "0x10", "-0",
                         "1e400", "4294967296", "9" * 400, "FILE", "-",
                         "OUT.npz", "OUT.svg", "OUT"])  # fmt: skip
variables = st.sampled_from("COLUMNS LANG LC_ALL LC_MESSAGES TERM HOME TMPDIR PWD ATTN_ISA".split())
values = st.sampled_from(["", "0", "-1", "80", "9" * 20, "/", "x" * 5000, "\x1b[2J", "因果", "zh_CN.UTF-8"])
numbers = st.one_of(st.integers(-2, 12), st.floats(-2, 2)).map(str)
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=9)
attempts = settings(
    max_examples=ATTEMPTS, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@st.composite
def command_lines(draw):
    """Draws a command with options that it has, mostly with valid values."""
    command = draw(st.sampled_from(sorted({option["command"] for option in OPTIONS})))
    stage = draw(st.sampled_from(STAGES))
    having = [
        option
        for option in OPTIONS
        if option["command"] == command and stage in option.get("stages", [stage])
    ]
    line = [*([command] if command != "walk" else []), stage, *draw(st.lists(words, max_size=1))]
    options = st.lists(st.sampled_from(having), max_size=5, unique_by=lambda option: option["name"])
    for option in draw(options) if having else []:
        value = draw(st.one_of(st.sampled_from(option.get("choices") or ["1"]), numbers, words, texts))
        line.append(f"--{option['name']}={value}" if option["value"] else f"--{option['name']}")
    return line


@st.composite
def damaged(draw, content):
    """Cuts, changes or inserts a few bytes."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(content)))
        inserted = draw(st.one_of(st.binary(max_size=9), st.just(b"\xff" * 8)))
        content = content[:at] + inserted + content[at + draw(st.sampled_from([0, 1, 8, 10**6])) :]
    return content


def attempt(arguments, stdin=b"", **variables):
    answer = run("", *arguments, stdin=stdin, encoding=None, timeout=SECONDS, **variables)
    said = answer.stderr.decode(errors="replace")
    assert answer.returncode in (0, 1, 2), (answer.returncode, said)
    assert not REPORT.search(said + answer.stdout.decode(errors="replace")), said
    assert not CONTROL.search(said), said
    assert answer.returncode != 2 or said.startswith("attn-walkthrough: "), said
    return answer


def placed(arguments, folder, content):
    (folder / "file").write_bytes(content)
    return [
        word.replace("FILE", str(folder / "file")).replace("OUT", str(folder / "out")) for word in arguments
    ]


@attempts
@given(command_lines(), st.sampled_from(FILES))
def test_any_command_line(tmp_path_factory, arguments, content):
    attempt(placed(arguments, tmp_path_factory.mktemp("a"), content), content)


@attempts
@given(
    st.sampled_from(FILES).flatmap(damaged),
    st.sampled_from(
        [["--input=FILE"], ["--weights=FILE", "--quiet"], ["diagnose", "FILE"], ["diagnose", "-"]]
    ),
)
def test_any_file(tmp_path_factory, content, arguments):
    attempt(["causal", *placed(arguments, tmp_path_factory.mktemp("a"), content)], content)


@attempts
@given(command_lines(), st.dictionaries(variables, values))
def test_any_environment(tmp_path_factory, arguments, variables):
    attempt(placed(arguments, tmp_path_factory.mktemp("a"), b"{}"), **variables)


def test_what_is_no_file(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    unwritable = [tmp_path, tmp_path / "loop", f"{tmp_path}/file/x", "a/" * 2100, "/proc/self/mem",
                  "/dev/fd/77", "/dev/full"]  # fmt: skip
    absent = ["a" * 256, " ", "\n", "\udcff"]
    lines = [f"--{option}={path}" for option in ("input", "weights") for path in unwritable + absent]
    for line in lines + [f"--json={path}" for path in unwritable]:
        assert attempt(["causal", line]).returncode == 2, line
