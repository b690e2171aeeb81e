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
import tempfile
import unicodedata
import unittest
import zipfile

from program import PROGRAM, environment

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
    return subprocess.run(
        [os.fsencode(PROGRAM), *(os.fsencode(word) for word in arguments)],
        input=stdin,
        capture_output=True,
        env=environ,
        timeout=600,
    )


def lesson(*tokens):
    return json.dumps(
        {"tokens": tokens, "embeddings": [[0.5 + i, 1.25 - i] for i in range(len(tokens))]}
    ).encode()


class Inert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.fsencode(folder.name)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)

    def check(self, answer, context):
        assert answer.returncode in (0, 1, 2), context
        for stream in (answer.stdout, answer.stderr):
            text = stream.decode()  # fails for invalid UTF-8
            left = sorted(ascii(character) for character in set(text) if not is_inert(character))
            assert left == [], (context, text[:2000])
        return answer

    def check_all(self, runs, least=0):
        """Runs (arguments, standard input), and checks how many of them show something escaped."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda one: run(*one), runs))
        spelled = 0
        for one, answer in zip(runs, answers):
            self.check(answer, one)
            spelled += (
                b"\\x" in answer.stdout + answer.stderr or b"\\u" in (answer.stdout + answer.stderr).lower()
            )
        assert spelled >= least
        return answers

    def test_arguments(self):
        runs = []
        for text in BYTES:
            runs += [
                ([text], b""),
                ([b"--" + text], b""),
                ([b"-" + text], b""),
                ([b"--" + text + b"=1"], b""),
                ([b"causal", b"--seed", b"1", text], b""),
            ]
            for cell in (
                text + b"[0][0]",
                b"keys[" + text + b"][0]",
                b"keys[0][" + text + b"]",
                b"keys" + text,
                b"keys[0][0]" + text,
            ):
                runs.append(([b"causal", b"explain", cell], b""))
            runs.append(([b"causal", b"--as", text, b"diagnose", "-"], b"tensor([[0.5, 0.25]])"))
        self.check_all(runs, len(runs) * 9 // 10)

    def test_the_values_of_every_option(self):
        options = re.findall(rb"^  (--[a-z-]+)( \S+)?", run(["walk", "--help-all"]).stdout, re.M)
        assert len(options) > 30
        runs = []
        for text in BYTES[::3] + BYTES[-1:]:
            for option, value in options:
                runs.append(([b"causal", option + b"=" + text], b"1\n"))
                if value:
                    runs.append(([b"complexity", option, text], b"1\n"))
        self.check_all(
            runs, len(runs) * 2 // 5
        )  # the others say that the option takes no value, or does not belong to this stage

    def test_names_of_files(self):
        good = {b"lesson": lesson("a", "b"), b"pasted": b"tensor([[0.1921, 0.1646], [0.2041, 0.1659]])"}
        arrays = run(["causal", "--quiet", "--step=inputs", "--out=-.npz"]).stdout
        tensors = run(["causal", "--quiet", "--step=inputs", "--out=-.safetensors"]).stdout
        npy = zipfile.ZipFile(io.BytesIO(arrays)).read("causal.inputs.npy")
        bad = [
            b"[1, ",
            b"\xff",
            b"{}",
            b'{"a": [[1, 2], [3]]}',
            b'{"W_query.weight": [[1, 0, 0]]}',
            arrays[:300],
            tensors[:50],
            tensors + b"x",
            npy[:40],
            npy[:-1],
            npy.replace(b"<f4", b"|O8"),
            b"\x80\x02}q\x00.",
        ]
        runs = []
        for text in BYTES:
            name = text.replace(b"/", b"_")
            os.mkdir(b"folder " + name)
            for which, content in good.items():
                pathlib.Path(os.fsdecode(which + name)).write_bytes(content)
            for i, content in enumerate(bad):
                pathlib.Path(os.fsdecode(b"bad%d" % i + name)).write_bytes(content)
            for option in (b"--input", b"--weights", b"diagnose"):
                for path in (
                    b"none" + name,
                    b"none" + name + b"/x",
                    b"folder " + name,
                    b"lesson" + name,
                    b"pasted" + name,
                    *(b"bad%d" % i + name for i in range(len(bad))),
                ):
                    runs.append(([b"causal", option, path], b""))
            for option, suffix in (
                (b"--json", b""),
                (b"--out", b".npz"),
                (b"--out", b".csv"),
                (b"--out", b".html"),
            ):
                shown = [b"causal", b"--step=keys", option]
                for path in (
                    b"out" + name,
                    b"folder " + name,
                    b"none" + name + b"/x",
                    b"lesson" + name + b"/x",
                ):
                    runs.append(([*shown, path + suffix], b""))
                runs.append(([*shown, b"lesson" + name + suffix, b"--input", b"lesson" + name], b""))
        self.check_all(runs, len(runs) // 2)

    def test_tokens_in_every_view(self):
        everything = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000 and not is_inert(chr(i))]
        assert len(everything) > 200
        groups = [
            ["".join(SEQUENCES), *SEQUENCES],
            CONTROLS,
            DIRECTIONS,
            INVISIBLE,
            everything,
            ["\0", "\n", "a\nb", "\U000e0041b"],
        ]
        views = [
            [],
            ["--quiet"],
            ["--heatmap"],
            ["--heatmap", "--quiet", "--step=attn_weights"],
            ["--lang=zh"],
            ["--code=numpy"],
            ["--code=cpp"],
            ["compare"],
            ["--rows=1:2"],
            ["explain", "attn_weights_causal[1][0]", "--depth=3"],
            ["explain", "masked[0][1]", "--lang=zh"],
            ["explain", "context_vec[1][0]", "--json=-"],
            ["--step=attn_weights", "--out=-.svg"],
            ["--step=attn_weights", "--out=-.html"],
            ["--json=-"],
            ["--focus=0"],
        ]
        for group in groups:
            text = lesson("journey", *group)
            chosen = [
                view for view in views if len(group) < 100 or "--out=-.html" not in view
            ]  # whose page would be large
            self.check_all([(["causal", "--input=-", *view], text) for view in chosen])
            (answer,) = self.check_all(
                [(["simplified", "--input=-", "--json=-", "--step=attn_scores"], text)]
            )
            assert json.loads(answer.stdout)["tokens"] == ["journey", *group]
            self.check_all(
                [
                    ([stage, "--input=-", "--focus", group[0].replace("\0", "0")], text)
                    for stage in ("simplified", "trainable", "leakage")
                ]
            )
            pathlib.Path("lesson.json").write_bytes(text)
            self.check_all(
                [(["causal", "--input=lesson.json", "--quiz=5"], group[1].encode() + b"\n(2, 2)\n0.5\n")]
            )
            self.check_all([(["causal", "--input=lesson.json", "diagnose", "-"], b"tensor([[0.5, 0.25]])")])
        shown = run(
            ["causal", "--input=-"], lesson("journey", "\x1b[2J", "\u202e", "\u200d", "\x9b", "\U000e0041")
        ).stdout.decode()
        assert "Rows: 0 journey, 1 \\x1b[2J, 2 \\u202e, 3 \\u200d, 4 \\x9b, 5 \\U000e0041\n" in shown

    def test_what_a_heat_map_colours(self):
        text = lesson("journey", *SEQUENCES)
        answer = run(["causal", "--input=-", "--heatmap", "--color=always"], text)
        for sequence in re.findall(rb"\x1b[^m]*m", answer.stdout):
            assert re.search(rb"^\x1b\[[0-9;]*m$", sequence)
        plain = re.sub(rb"\x1b\[[0-9;]*m", b"", answer.stdout)
        self.check(subprocess.CompletedProcess([], answer.returncode, plain, answer.stderr), "colours")

    def test_what_is_left_alone(self):
        tokens = ["旅程", "naïve", "❤\ufe0f", "שלום", "مرحبا", "🇨🇭", "葛\U000e0100"]
        assert (
            "1 旅程, 2 naïve, 3 ❤\ufe0f, 4 שלום, 5 مرحبا, 6 🇨🇭, 7 葛\U000e0100\n"
            in run(["causal", "--input=-"], lesson("journey", *tokens)).stdout.decode()
        )

    def test_keys_and_lines_of_json(self):
        runs = []
        right = ", ".join(f'"W_{name}.weight": [[1, 0, 0], [0, 1, 0]]' for name in ("query", "key", "value"))
        for text in TEXTS:
            key = json.dumps(text.decode())
            raw = json.dumps(
                text.decode(), ensure_ascii=False
            )  # JSON allows these characters; others are an error with its line
            for name in (key, raw):
                for shape in (
                    "{%s: 1}",
                    '{"tokens": %s}',
                    '{"tokens": [%s], "embeddings": [[%s]]}',
                    "{%s: 1, %s: 2}",
                    '{"tokens": ["a"], "embeddings": [[1, %s]]}',
                    '{"tokens": [%s, x]}',
                ):
                    runs.append((["causal", "--input=-"], (shape % ((name,) * shape.count("%s"))).encode()))
                for shape in (
                    "{%s: [[1, 2], [3]]}",
                    "{%s: [[1, 2]]}",
                    "{%s: [[1, true]]}",
                    "{%s: {%s: []}}",
                    '{"W_query.weight": [[%s]]}',
                    "{%s: [[1]], %s: [[1]]}",
                ):
                    runs.append((["causal", "--weights=-"], (shape % ((name,) * shape.count("%s"))).encode()))
                    # One stage, because a search of all takes a second.
                    diagnose = ["causal", "diagnose", "-"]
                    runs.append((diagnose, (shape % ((name,) * shape.count("%s"))).encode()))
                runs.append((["causal", "--weights=-"], f"{{{right}, {name}: [[1]]}}".encode()))
                runs.append(
                    (["causal", "--weights=-"], f'{{{right}, {name[:-1]}.c_attn.weight": [[1]]}}'.encode())
                )
                runs.append((["causal", "diagnose", "-"], f"{{{name}: [[0.5, 0.25]]}}".encode()))
                runs.append((["causal", "diagnose", "-", "--json=-"], f"{{{name}: [[0.5, 0.25]]}}".encode()))
        self.check_all(runs, len(runs) // 3)

    def test_names_in_what_is_pasted(self):
        runs = []
        for text in BYTES:
            for shape in (
                b"%s = tensor([[0.1921, 0.1646]])",
                b">>> print(%s)\ntensor([[0.1921]])",
                b"%s:\ntensor([[0.5]])",
                b"tensor([[0.5, %s]])",
                b"tensor([[0.5, 0.25], [0.5]]) %s",
                b"tensor([[0.5]], grad_fn=<%s>)",
                b"tensor([[0.5]], dtype=%s)",
                b"%s",
                b"array([[0.5 0.25]\n [%s]])",
                b"`%s`\n[[0.5, 0.25]]",
            ):
                for options in ([], ["--json=-"], ["--as=keys"]):
                    runs.append((["causal", "diagnose", "-", *options], shape % text))
        self.check_all(runs)

    def test_names_in_files_of_tensors(self):
        def npy(descr=b"<f4", shape=b"(2, 2)", more=b""):
            header = b"{'descr': '" + descr + b"', 'fortran_order': False, 'shape': " + shape + more + b"}"
            return (
                b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + struct.pack("<4f", 1, 2, 3, 4)
            )

        def tensors(header):
            return struct.pack("<Q", len(header)) + header + struct.pack("<4f", 1, 2, 3, 4)

        files = []
        for text in BYTES:
            files += [npy(text), npy(shape=text), npy(more=b", '" + text + b"': 1"), npy(more=text)]
            for name in (text + b".npy", text):
                for content in (npy(), npy(text), npy(shape=b"(3, 3)"), b"x"):
                    packed = io.BytesIO()
                    with zipfile.ZipFile(packed, "w") as archive:
                        archive.writestr("a" * len(name), content)
                        archive.writestr("b.npy", npy())
                    files.append(packed.getvalue().replace(b"a" * len(name), name))
        for text in TEXTS:
            name = json.dumps(text.decode()).encode()
            entry = b'{"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}'
            files += [
                tensors(b"{" + name + b": " + entry + b"}"),
                tensors(b'{"__metadata__": {' + name + b": " + name + b"}, " + name + b": " + entry + b"}"),
            ]
            files += [
                tensors(b'{"__metadata__": {' + name + b": 1}}"),
                tensors(b"{" + name + b": 1}"),
                tensors(b'{"x": ' + entry[:-1] + b", " + name + b": 1}}"),
            ]
            for fault in (
                entry.replace(b'"F32"', name),
                entry.replace(b"16]", b"12]"),
                entry.replace(b"[2, 2]", b"[2, true]"),
                entry.replace(b"[0, 16]", b"[8, 16]"),
                entry.replace(b"[2, 2]", b"[4]"),
            ):
                files.append(tensors(b"{" + name + b": " + fault + b"}"))
        runs = []
        for i, content in enumerate(files):
            pathlib.Path(f"file{i}").write_bytes(content)
            runs += [(["causal", "--input", f"file{i}"], b""), (["causal", "--weights", f"file{i}"], b"")]
            if i % 3 == 0:
                runs += [
                    (["causal", "--weights", f"file{i}", "--layer=1", "--head=0"], b""),
                    (["causal", "diagnose", f"file{i}"], b""),
                ]
        self.check_all(runs, len(runs) // 3)

    def test_what_is_typed_into_a_quiz(self):
        self.check_all(
            [
                (["causal", "quiz", "--count=3", *options], text + b"\n" + text + b"\n" + text)
                for text in BYTES
                for options in ([], ["--lang=zh"])
            ],
            len(BYTES),
        )

    def test_the_environment(self):
        for text in BYTES:
            for name in ("LC_ALL", "LANG", "COLUMNS", "TERM", "COLORTERM"):
                self.check(run(["causal", "--step=keys"], **{name: os.fsdecode(text)}), (name, text))


if __name__ == "__main__":
    unittest.main()
