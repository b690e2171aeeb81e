"""Text from outside is inert: nothing in it can command the terminal, hide other text or reverse it."""

import concurrent.futures
import io
import json
import os
import pathlib
import re
import unicodedata
import zipfile

import pytest

import program
from tensor_files import npy, safetensors_of

SEQUENCES = [
    "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\x1b[31;5m", "\x1bP1$r\x1b\\",
    "\x9b6n", "\x9d0;t\x9c", "\r\x1b[Kgone", "a\x08b", "\x0e\x0f",
]  # fmt: skip
CONTROLS = [chr(i) for i in [*range(1, 0x20), *range(0x7F, 0xA0)]]
DIRECTIONS = list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
INVISIBLE = list(
    "\u00ad\u034f\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u2028\u2029\u2060\u2061\u2064\u206a\u206f\u3164"
    "\ufeff\uffa0\ufff9\ufffb\U0001bca0\U0001d173\U000e0001\U000e0020\U000e0041\U000e007f"
)
RAW = [bytes([i]) for i in range(0x80, 0xA0)]
RAW += b"\xff \xc0\xaf \xe2\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xc1\x9b \xf5".split()


def in_groups(pieces):
    """Returns so few characters at a time that each is shown even if a message is cut short."""
    return [b"q" + b"z".join(pieces[i : i + 14]) for i in range(0, len(pieces), 14)]


TEXTS = in_groups([text.encode() for text in SEQUENCES + CONTROLS + DIRECTIONS + INVISIBLE])
BYTES = TEXTS + in_groups(RAW)
# Visible on a screen, although Unicode calls them format characters: signs drawn below numbers, and
# hieroglyphs' brackets.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


def is_inert(character):
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs") or character in INVISIBLE
    return character == "\n" or not hidden or ord(character) in SEEN


def run(arguments, stdin=b"", **variables):
    return program.run(*arguments, stdin=stdin, encoding=None, timeout=600, **variables)


def lesson(*tokens):
    return program.lesson(*tokens).encode()


def check(answer, context):
    assert answer.returncode in (0, 1, 2), context
    for text in answer.stdout.decode(), answer.stderr.decode():  # fails for invalid UTF-8
        left = sorted(ascii(character) for character in {*text} if not is_inert(character))
        assert left == [], (context, text[:2000])
    return answer.stdout + answer.stderr


def check_all(runs, least=0):
    """Runs (arguments, standard input), of which a share of at least `least` must show something escaped."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = [*pool.map(lambda one: run(*one), runs)]
    shown = [check(answer, one) for one, answer in zip(runs, answers, strict=True)]
    assert sum(rb"\x" in text or rb"\u" in text.lower() for text in shown) >= least * len(runs)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# Command lines, standard inputs, and the least share of runs that show something escaped. Each text replaces
# the stars.
@pytest.mark.parametrize("lines, inputs, least", [
    ([b"*", b"--*", b"-*", b"--*=1", b"--seed=1 *", b"--as * diagnose -", b"explain *[0][0]",
      b"explain keys[*][0]", b"explain keys[0][*]", b"explain keys*", b"explain keys[0][0]*"],
     [b"tensor([[0.5, 0.25]])"], 0.8),
    ([b"diagnose -", b"diagnose - --json=-", b"diagnose - --as=keys"],
     [b"* = tensor([[0.1921, 0.1646]])", b">>> print(*)\ntensor([[0.1921]])", b"*:\ntensor([[0.5]])",
      b"tensor([[0.5, *]])", b"tensor([[0.5, 0.25], [0.5]]) *", b"tensor([[0.5]], grad_fn=<*>)",
      b"tensor([[0.5]], dtype=*)", b"*", b"array([[0.5 0.25]\n [*]])", b"`*`\n[[0.5, 0.25]]"], 0),
    ([b"quiz --count=3 --lang=en", b"quiz --count=3 --lang=zh"], [b"*\n*\n*"], 0.5),
], ids=["arguments", "pastes", "answers"])  # fmt: skip
def test_text_in_every_place(lines, inputs, least):
    check_all([([b"causal", *(word.replace(b"*", text) for word in line.split())], stdin.replace(b"*", text))
               for text in BYTES for line in lines for stdin in inputs], least)  # fmt: skip


def test_the_values_of_every_option():
    options = re.findall(rb"^  (--[a-z-]+)( \S+)?", run(["walk", "--help-all"]).stdout, re.M)
    assert len(options) > 30
    runs = []
    for text in BYTES[::3] + BYTES[-1:]:
        for option, value in options:
            runs.append(([b"causal", option + b"=" + text], b"1\n"))
            runs += [([b"complexity", option, text], b"1\n")] * bool(value)
    check_all(runs, 0.4)  # the others say that the option takes no value, or does not belong to this stage


def test_names_of_files():
    arrays, tensors = (
        run(["causal", "--quiet", "--step=inputs", f"--out=-.{kind}"]).stdout
        for kind in ("npz", "safetensors")
    )
    array = zipfile.ZipFile(io.BytesIO(arrays)).read("causal.inputs.npy")
    files = [
        lesson("a", "b"), b"tensor([[0.1921, 0.1646], [0.2041, 0.1659]])", b"[1, ", b"\xff", b"{}",
        b'{"a": [[1, 2], [3]]}', b'{"W_query.weight": [[1, 0, 0]]}', arrays[:300], tensors[:50],
        tensors + b"x", array[:40], array[:-1], array.replace(b"<f4", b"|O8"), b"\x80\x02}q\x00.",
    ]  # fmt: skip
    runs = []
    for text in BYTES:
        name = text.replace(b"/", b"_")
        os.mkdir(b"folder " + name)
        for i, content in enumerate(files):
            pathlib.Path(os.fsdecode(b"file%d" % i + name)).write_bytes(content)
        elsewhere = [b"none" + name + b"/x", b"folder " + name]
        read = [b"none" + name, *elsewhere, *(b"file%d" % i + name for i in range(len(files)))]
        runs += [([b"causal", option, path], b"") for option in (b"--input", b"--weights", b"diagnose")
                 for path in read]  # fmt: skip
        written = [b"out" + name, *elsewhere, b"file0" + name + b"/x"]
        for line in (b"--json *", b"--out *.npz", b"--out *.csv", b"--out *.html"):
            option, _, suffix = line.partition(b" *")
            shown = [b"causal", b"--step=keys", option]
            runs += [([*shown, path + suffix], b"") for path in written]
            runs.append(([*shown, b"file0" + name + suffix, b"--input", b"file0" + name], b""))
    check_all(runs, 0.5)


def test_command_lines_to_copy():
    runs = []
    for number, text in enumerate(BYTES):
        name = text.replace(b"/", b"_") + b".py"
        os.mkdir(b"class%d" % number)
        for path in (name, b"class%d/" % number + name):
            pathlib.Path(os.fsdecode(path)).write_bytes(b"x = 1\n")
        sheet = [b"exercises", b"simplified", b"--count=1", b"--text", text]
        lines = [b"grade", name], [b"diagnose", name], [b"diagnose", b"class%d" % number], sheet
        runs += [(line, b"") for line in lines]
    check_all(runs, 0.7)
    text = run(["exercises", "simplified", "--count=1", "--text=a\n# b\\'"]).stdout.decode()
    assert "\n# b" not in text and re.search(r"--text \\?\$'a[\\]+x0a[\\]*# b[\\]+'", text), text


EVERYTHING = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000 and not is_inert(chr(i))]
VIEWS = [
    "", "--quiet", "--heatmap", "--heatmap --quiet --step=attn_weights", "--lang=zh", "--code=numpy",
    "--code=cpp", "compare", "--rows=1:2", "explain attn_weights_causal[1][0] --depth=3",
    "explain masked[0][1] --lang=zh", "explain context_vec[1][0] --json=-",
    "--step=attn_weights --out=-.svg", "--step=attn_weights --out=-.html", "--json=-", "--focus=0",
]  # fmt: skip


@pytest.mark.parametrize("group", [
    ["".join(SEQUENCES), *SEQUENCES], CONTROLS, DIRECTIONS, INVISIBLE, EVERYTHING,
    ["\0", "\n", "a\nb", "\U000e0041b"],
], ids=str)  # fmt: skip
def test_tokens_in_every_view(group):
    assert len(EVERYTHING) > 200
    text = lesson("journey", *group)
    # The page of everything would be large.
    check_all([(["causal", "--input=-", *view.split()], text) for view in VIEWS
               if group is not EVERYTHING or ".html" not in view])  # fmt: skip
    json_of = ["simplified", "--input=-", "--json=-", "--step=attn_scores"]
    check_all([(json_of, text)])
    assert json.loads(run(json_of, text).stdout)["tokens"] == ["journey", *group]
    focus = group[0].replace("\0", "0")
    stages = "simplified", "trainable", "leakage"
    check_all([([stage, "--input=-", "--focus", focus], text) for stage in stages])
    pathlib.Path("lesson.json").write_bytes(text)
    typed = group[1].encode() + b"\n(2, 2)\n0.5\n"
    check_all([(["causal", "--input=lesson.json", "quiz", "--count=5"], typed),
               (["causal", "--input=lesson.json", "diagnose", "-"], b"tensor([[0.5, 0.25]])")])  # fmt: skip


@pytest.mark.parametrize("tokens, shown", [
    (["\x1b[2J", "\u202e", "\u200d", "\x9b", "\U000e0041"],
     "1 \\x1b[2J, 2 \\u202e, 3 \\u200d, 4 \\x9b, 5 \\U000e0041\n"),
    # These are left alone.
    (["旅程", "naïve", "❤\ufe0f", "שלום", "مرحبا", "🇨🇭", "葛\U000e0100"],
     "1 旅程, 2 naïve, 3 ❤\ufe0f, 4 שלום, 5 مرحبا, 6 🇨🇭, 7 葛\U000e0100\n"),
])  # fmt: skip
def test_how_tokens_are_shown(tokens, shown):
    text = run(["causal", "--input=-"], lesson("journey", *tokens)).stdout.decode()
    assert f"Rows: 0 journey, {shown}" in text


def test_what_a_heat_map_colours():
    answer = run(["causal", "--input=-", "--heatmap", "--color=always"], lesson("journey", *SEQUENCES))
    assert b"\x1b[" in answer.stdout
    answer.stdout = re.sub(rb"\x1b\[[0-9;]*m", b"", answer.stdout)
    check(answer, "colours")


def test_keys_and_lines_of_json():
    right = ", ".join(f'"W_{name}.weight": [[1, 0, 0], [0, 1, 0]]' for name in ("query", "key", "value"))
    shapes = {
        "--input=-": ["{*: 1}", '{"tokens": *}', '{"tokens": [*], "embeddings": [[*]]}', "{*: 1, *: 2}",
                      '{"tokens": ["a"], "embeddings": [[1, *]]}', '{"tokens": [*, x]}'],
        "--weights=-": [f"{{{right}, *: [[1]]}}", f"{{{right}, *.c_attn.weight: [[1]]}}"],
        # One stage, because a search of all takes a second.
        "diagnose -": ["{*: [[0.5, 0.25]]}"], "diagnose - --json=-": ["{*: [[0.5, 0.25]]}"],
    }  # fmt: skip
    both = ["{*: [[1, 2], [3]]}", "{*: [[1, 2]]}", "{*: [[1, true]]}", "{*: {*: []}}",
            '{"W_query.weight": [[*]]}', "{*: [[1]], *: [[1]]}"]  # fmt: skip
    shapes["--weights=-"] += both
    shapes["diagnose -"] += both
    runs = []
    for text in TEXTS:
        # JSON allows some of these characters unescaped; others are an error with its line.
        for name in (json.dumps(text.decode(), ensure_ascii=is_ascii) for is_ascii in (True, False)):
            for options, texts in shapes.items():
                for shape in texts:
                    filled = shape.replace("*.c_attn.weight", name[:-1] + '.c_attn.weight"').replace(
                        "*", name
                    )
                    runs.append((["causal", *options.split()], filled.encode()))
    check_all(runs, 1 / 3)


def array_with(descr, shape=b"(2, 2)"):
    """Returns a .npy file with these bytes in its header."""
    return npy(os.fsdecode(shape), bytes(16), os.fsdecode(descr))


def test_names_in_files_of_tensors():
    array = npy("(2, 2)", bytes(16))
    files = []
    for text in BYTES:
        shapes = text, b"(2, 2), '" + text + b"': 1", b"(2, 2)" + text
        headers = [array_with(text), *(array_with(b"<f4", shape) for shape in shapes)]
        files += headers
        for name in (text + b".npy", text):
            for content in (array, headers[0], array_with(b"<f4", b"(3, 3)"), b"x"):
                packed = io.BytesIO()
                with zipfile.ZipFile(packed, "w") as archive:
                    archive.writestr("a" * len(name), content)
                    archive.writestr("b.npy", array)
                files.append(packed.getvalue().replace(b"a" * len(name), name))
    for name in (text.decode() for text in TEXTS):
        entry = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}
        faults = ({"dtype": name}, {"data_offsets": [0, 12]}, {"shape": [2, True]},
                  {"data_offsets": [8, 16]}, {"shape": [4]})  # fmt: skip
        headers = [{name: entry}, {"__metadata__": {name: name}, name: entry}, {"__metadata__": {name: 1}},
                   {name: 1}, {"x": {**entry, name: 1}}]  # fmt: skip
        headers += [{name: entry | fault} for fault in faults]
        files += [safetensors_of(header, bytes(16)) for header in headers]
    runs = []
    for i, content in enumerate(files):
        pathlib.Path(f"file{i}").write_bytes(content)
        lines = ["--input=*", "--weights=*"]
        lines += ["--weights=* --layer=1 --head=0", "diagnose *"] * (i % 3 == 0)
        runs += [(["causal", *line.replace("*", f"file{i}").split()], b"") for line in lines]
    check_all(runs, 1 / 3)


@pytest.mark.parametrize("name", ["LC_ALL", "LANG", "COLUMNS", "TERM", "COLORTERM"])
def test_the_environment(name):
    for text in BYTES:
        check(run(["causal", "--step=keys"], **{name: os.fsdecode(text)}), text)
