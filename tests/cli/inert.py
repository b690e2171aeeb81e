"""Text from outside is inert: nothing in it can command the terminal, hide other text or reverse it.

Tokens, names in files, names of files and typed text contain control characters, escape sequences, overrides
of the writing direction, invisible characters and invalid UTF-8. No output of any view contains these
unescaped, and the JSON gives the tokens back exactly. Argument: the program.
"""

import concurrent.futures
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import unicodedata
import zipfile

import pytest

from program import PROGRAM, environment
from tensor_files import npy, safetensors_of

SEQUENCES = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[31;5m",
    "\x1bP1$r\x1b\\",
    "\x9b6n",
    "\x9d0;t\x9c",
    "\r\x1b[Kgone",
    "a\x08b",
    "\x0e\x0f",
]
CONTROLS = [chr(i) for i in [*range(1, 0x20), *range(0x7F, 0xA0)]]
DIRECTIONS = list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
INVISIBLE = list(
    "\u00ad\u034f\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u2028\u2029\u2060"
    "\u2061\u2064\u206a\u206f\u3164\ufeff\uffa0\ufff9\ufffb"
)
INVISIBLE += ["\U0001bca0", "\U0001d173", "\U000e0001", "\U000e0020", "\U000e0041", "\U000e007f"]
RAW = [bytes([i]) for i in range(0x80, 0xA0)] + [
    b"\xff",
    b"\xc0\xaf",
    b"\xe2\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc1\x9b",
    b"\xf5",
]


def in_groups(pieces, size):
    """Returns some characters at a time, with letters between them, so that each is shown even if a message
    is cut short.
    """
    return [b"q" + b"z".join(pieces[i : i + size]) for i in range(0, len(pieces), size)]


TEXTS = in_groups([text.encode() for text in SEQUENCES + CONTROLS + DIRECTIONS + INVISIBLE], 14)
BYTES = TEXTS + in_groups(RAW, 14)
# Visible on a screen, although Unicode calls them format characters: signs drawn below numbers, and
# hieroglyphs' brackets.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


def is_inert(character):
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs") or character in INVISIBLE
    return character == "\n" or not hidden or ord(character) in SEEN


def run(arguments, stdin=b"", **variables):
    environ = {os.fsencode(name): os.fsencode(value) for name, value in environment(**variables).items()}
    command = [PROGRAM.encode(), *(os.fsencode(word) for word in arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, env=environ, timeout=600)


def lesson(*tokens):
    rows = [[0.5 + i, 1.25 - i] for i in range(len(tokens))]
    return json.dumps({"tokens": tokens, "embeddings": rows}).encode()


def check(answer, context):
    assert answer.returncode in (0, 1, 2), context
    for stream in (answer.stdout, answer.stderr):
        text = stream.decode()  # fails for invalid UTF-8
        left = sorted(ascii(character) for character in set(text) if not is_inert(character))
        assert left == [], (context, text[:2000])


def check_all(runs, least=0.0):
    """Runs (arguments, standard input), and checks which share of them shows something escaped."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda one: run(*one), runs))
    spelled = 0
    for one, answer in zip(runs, answers):
        check(answer, one)
        spelled += bool(re.search(rb"\\[xuU]", answer.stdout + answer.stderr))
    assert spelled >= least * len(runs)
    return answers


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_arguments():
    shapes = [
        [b"%s"], [b"--%s"], [b"-%s"], [b"--%s=1"], [b"causal", b"--seed", b"1", b"%s"],
        *([b"causal", b"explain", cell] for cell in (
            b"%s[0][0]", b"keys[%s][0]", b"keys[0][%s]", b"keys%s", b"keys[0][0]%s")),
        [b"causal", b"--as", b"%s", b"diagnose", b"-"],
    ]  # fmt: skip
    pasted = b"tensor([[0.5, 0.25]])"
    check_all(
        [([word.replace(b"%s", text) for word in words], pasted) for text in BYTES for words in shapes], 0.9
    )


def test_the_values_of_every_option():
    options = re.findall(rb"^  (--[a-z-]+)( \S+)?", run(["walk", "--help-all"]).stdout, re.M)
    assert len(options) > 30
    runs = []
    for text in BYTES[::3] + BYTES[-1:]:
        for option, value in options:
            runs.append(([b"causal", option + b"=" + text], b"1\n"))
            runs += [([b"complexity", option, text], b"1\n")] * bool(value)
    # The others say that the option takes no value, or does not belong to this stage.
    check_all(runs, 0.4)


def test_names_of_files():
    good = {b"lesson": lesson("a", "b"), b"pasted": b"tensor([[0.1921, 0.1646], [0.2041, 0.1659]])"}
    arrays, tensors = (
        run(["causal", "--quiet", "--step=inputs", f"--out=-.{kind}"]).stdout
        for kind in ("npz", "safetensors")
    )
    array = zipfile.ZipFile(io.BytesIO(arrays)).read("causal.inputs.npy")
    bad = [
        b"[1, ", b"\xff", b"{}", b'{"a": [[1, 2], [3]]}', b'{"W_query.weight": [[1, 0, 0]]}', arrays[:300],
        tensors[:50], tensors + b"x", array[:40], array[:-1], array.replace(b"<f4", b"|O8"),
        b"\x80\x02}q\x00.",
    ]  # fmt: skip
    files = good | {b"bad%d" % i: content for i, content in enumerate(bad)}
    runs = []
    for text in BYTES:
        name = text.replace(b"/", b"_")
        os.mkdir(b"folder " + name)
        for which, content in files.items():
            pathlib.Path(os.fsdecode(which + name)).write_bytes(content)
        missing = [b"none" + name, b"none" + name + b"/x", b"folder " + name]
        for option in (b"--input", b"--weights", b"diagnose"):
            runs += [([b"causal", option, path], b"") for path in (*missing, *(one + name for one in files))]
        for option in (b"--json=", b"--out=.npz", b"--out=.csv", b"--out=.html"):
            option, suffix = option.split(b"=")
            shown = [b"causal", b"--step=keys", option]
            for path in (b"out" + name, *missing[1:], b"lesson" + name + b"/x"):
                runs.append(([*shown, path + suffix], b""))
            runs.append(([*shown, b"lesson" + name + suffix, b"--input", b"lesson" + name], b""))
    check_all(runs, 0.5)


VIEWS = [
    "", "--quiet", "--heatmap", "--heatmap --quiet --step=attn_weights", "--lang=zh", "--code=numpy",
    "--code=cpp", "compare", "--rows=1:2", "explain attn_weights_causal[1][0] --depth=3",
    "explain masked[0][1] --lang=zh", "explain context_vec[1][0] --json=-", "--step=attn_weights --out=-.svg",
    "--step=attn_weights --out=-.html", "--json=-", "--focus=0",
]  # fmt: skip
EVERY = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000 and not is_inert(chr(i))]


@pytest.mark.parametrize("group", [
    ["".join(SEQUENCES), *SEQUENCES], CONTROLS, DIRECTIONS, INVISIBLE, EVERY,
    ["\0", "\n", "a\nb", "\U000e0041b"],
])  # fmt: skip
def test_tokens_in_every_view(group):
    assert len(EVERY) > 200
    text = lesson("journey", *group)
    pathlib.Path("lesson.json").write_bytes(text)
    # The page of many tokens would be large.
    views = [view for view in VIEWS if len(group) < 100 or "--out=-.html" not in view]
    focus = ["--input=-", "--focus", group[0].replace("\0", "0")]
    one, *_ = check_all([
        (["simplified", "--input=-", "--json=-", "--step=attn_scores"], text),
        *((["causal", "--input=-", *view.split()], text) for view in views),
        *(([stage, *focus], text) for stage in ("simplified", "trainable", "leakage")),
        (["causal", "--input=lesson.json", "--quiz=5"], group[1].encode() + b"\n(2, 2)\n0.5\n"),
        (["causal", "--input=lesson.json", "diagnose", "-"], b"tensor([[0.5, 0.25]])"),
    ])  # fmt: skip
    assert json.loads(one.stdout)["tokens"] == ["journey", *group]


def test_what_is_shown_and_what_is_left_alone():
    escaped = ["\x1b[2J", "\u202e", "\u200d", "\x9b", "\U000e0041"]
    shown = "1 \\x1b[2J, 2 \\u202e, 3 \\u200d, 4 \\x9b, 5 \\U000e0041\n"
    plain = ["旅程", "naïve", "❤\ufe0f", "שלום", "مرحبا", "🇨🇭", "葛\U000e0100"]
    for tokens, said in (
        (escaped, shown), (plain, ", ".join(f"{i} {token}" for i, token in enumerate(plain, 1)) + "\n")
    ):  # fmt: skip
        text = run(["causal", "--input=-"], lesson("journey", *tokens)).stdout.decode()
        assert f"Rows: 0 journey, {said}" in text
    heatmap = run(["causal", "--input=-", "--heatmap", "--color=always"], lesson("journey", *SEQUENCES))
    colours = rb"\x1b\[[0-9;]*m"
    assert len(re.findall(colours, heatmap.stdout)) == heatmap.stdout.count(b"\x1b") > 0
    heatmap.stdout = re.sub(colours, b"", heatmap.stdout)
    check(heatmap, "colours")


def test_keys_and_lines_of_json():
    right = ", ".join(f'"W_{name}.weight": [[1, 0, 0], [0, 1, 0]]' for name in ("query", "key", "value"))
    shapes = {
        "--input=-": [
            "{%s: 1}", '{"tokens": %s}', '{"tokens": [%s], "embeddings": [[%s]]}', "{%s: 1, %s: 2}",
            '{"tokens": ["a"], "embeddings": [[1, %s]]}', '{"tokens": [%s, x]}',
        ],
        "--weights=-": [
            "{%s: [[1, 2], [3]]}", "{%s: [[1, 2]]}", "{%s: [[1, true]]}", "{%s: {%s: []}}",
            '{"W_query.weight": [[%s]]}', "{%s: [[1]], %s: [[1]]}",
            f"{{{right}, %s: [[1]]}}", f'{{{right}, %s.c_attn.weight": [[1]]}}',
        ],
    }  # fmt: skip
    # One stage, because a search of all takes a second.
    shapes["diagnose -"] = [*shapes["--weights=-"][:6], "{%s: [[0.5, 0.25]]}"]
    shapes["diagnose - --json=-"] = ["{%s: [[0.5, 0.25]]}"]
    runs = []
    for text in TEXTS:
        # JSON allows some of these characters unescaped; others are an error with its line.
        for name in (json.dumps(text.decode()), json.dumps(text.decode(), ensure_ascii=False)):
            for line, contents in shapes.items():
                for shape in contents:
                    put = name[:-1] if "%s.c_attn" in shape else name
                    runs.append((["causal", *line.split()], shape.replace("%s", put).encode()))
    check_all(runs, 1 / 3)


def test_names_in_what_is_pasted():
    shapes = (
        b"%s = tensor([[0.1921, 0.1646]])", b">>> print(%s)\ntensor([[0.1921]])", b"%s:\ntensor([[0.5]])",
        b"tensor([[0.5, %s]])", b"tensor([[0.5, 0.25], [0.5]]) %s", b"tensor([[0.5]], grad_fn=<%s>)",
        b"tensor([[0.5]], dtype=%s)", b"%s", b"array([[0.5 0.25]\n [%s]])", b"`%s`\n[[0.5, 0.25]]",
    )  # fmt: skip
    options = [], ["--json=-"], ["--as=keys"]
    check_all([
        (["causal", "diagnose", "-", *more], shape % text)
        for text in BYTES for shape in shapes for more in options
    ])  # fmt: skip


def test_names_in_files_of_tensors():
    numbers = struct.pack("<4f", 1, 2, 3, 4)
    array = npy("(2, 2)", numbers)
    files = []
    for text in BYTES:
        odd = [
            array.replace(b"<f4", text), array.replace(b"(2, 2)", text),
            array.replace(b", }", b", '" + text + b"': 1}"), array.replace(b", }", text + b"}"),
        ]  # fmt: skip
        # The length of the header is its last two bytes of ten.
        odd = [one[:8] + struct.pack("<H", len(one) - 26) + one[10:] for one in odd]
        files += odd
        for name in (text + b".npy", text):
            for content in (array, odd[0], npy("(3, 3)", numbers), b"x"):
                packed = io.BytesIO()
                with zipfile.ZipFile(packed, "w") as archive:
                    archive.writestr("a" * len(name), content)
                    archive.writestr("b.npy", array)
                files.append(packed.getvalue().replace(b"a" * len(name), name))
    entry = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}
    for text in TEXTS:
        name = text.decode()
        for header in (
            {name: entry}, {"__metadata__": {name: name}, name: entry}, {"__metadata__": {name: 1}},
            {name: 1}, {"x": entry | {name: 1}}, {name: entry | {"dtype": name}},
            {name: entry | {"data_offsets": [0, 12]}}, {name: entry | {"data_offsets": [8, 16]}},
            {name: entry | {"shape": [2, True]}}, {name: entry | {"shape": [4]}},
        ):  # fmt: skip
            files.append(safetensors_of(header, numbers))
    runs = []
    for i, content in enumerate(files):
        pathlib.Path(f"file{i}").write_bytes(content)
        lines = [f"causal --input file{i}", f"causal --weights file{i}"]
        lines += [f"causal --weights file{i} --layer=1 --head=0", f"diagnose causal file{i}"] * (i % 3 == 0)
        runs += [(line.split(), b"") for line in lines]
    check_all(runs, 1 / 3)


def test_what_is_typed_into_a_quiz():
    typed = [b"\n".join([text] * 3) for text in BYTES]
    lines = "causal quiz --count=3", "causal quiz --count=3 --lang=zh"
    check_all([(line.split(), text) for text in typed for line in lines], 0.5)


@pytest.mark.parametrize("name", ["LC_ALL", "LANG", "COLUMNS", "TERM", "COLORTERM"])
def test_the_environment(name):
    for text in BYTES:
        check(run(["causal", "--step=keys"], **{name: os.fsdecode(text)}), (name, text))
