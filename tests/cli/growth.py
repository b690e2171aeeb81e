"""Twice as much of what is hard to read takes about twice as long, whatever it is. Argument: the program.

Each input is made of n pieces; the program's processor time for n and for 2 n is compared, less what an empty run takes.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

from program import PROGRAM, environment

ENOUGH = 0.2  # seconds, within which growth does not matter
MOST = 2.5


def safetensors(tensors, metadata=()):
    header = json.dumps({"__metadata__": dict(metadata), **tensors}).encode()
    return struct.pack("<Q", len(header)) + header


def empty_tensors(names):
    return {name: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for name in names}


def npz(names, shape=(1, 1), extra=b""):
    """A .npz of arrays of ones, put together by hand: the writers we know would take longer than the reader."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    count = shape[0] * shape[1]
    content = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<f", 1) * count
    crc = zipfile.crc32(content)
    members, directory, at = [], [], 0
    for name in names:
        file = f"{name}.npy".encode()
        common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, crc, len(content), len(content), len(file), len(extra))
        members.append(b"PK\3\4" + common + file + extra + content)
        directory.append(b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, at) + file + extra)
        at += len(members[-1])
    whole = b"".join(directory)
    return b"".join(members) + whole + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(whole), at, 0)


def weights(names):
    return json.dumps({name: [[1]] for name in names}).encode()


def lesson(tokens="", embeddings="[[1.5, 2], [3, 4.25]]"):
    return f'{{"tokens": [{tokens}], "embeddings": {embeddings}}}'.encode()


def names(n, pattern="x{}"):
    return [pattern.format(i) for i in range(n)]


def heads(n):
    return [f"heads.{i}.W_{part}.weight" for i in range(n) for part in ("query", "key", "value")]


def modules(n):
    return [f"h.{i}.{part}_proj.weight" for i in range(n) for part in "qkv"]


# A name, how many pieces, how they make the input (text or bytes), and the arguments; FILE is a file of it, and without one
# it comes from standard input.
DIAGNOSE = ["causal", "--diagnose", "-"]
INPUT = ["causal", "--input", "FILE", "--quiet", "--step=inputs"]
WEIGHTS = ["causal", "--weights", "FILE", "--quiet"]
LAYER = [*WEIGHTS, "--layer=0", "--head=0", "--heads=1"]
QUIZ = ["causal", "--quiz", "100"]
CASES = [
    # Pasted text.
    *((f"text of {piece!r}", n, lambda n, piece=piece: piece * n, DIAGNOSE) for n, piece in (
        (40000, "["), (40000, "[−"), (40000, "[-"), (40000, "[+"), (40000, "[."), (40000, "[1-"), (40000, "[1,"), (40000, "[1 "),
        (20000, "[np.float32("), (20000, "np.float32("), (20000, "tensor("), (20000, "tensor([["), (20000, "array([1., "), (20000, "[[1, 2], "),
        (40000, "]"), (40000, "["), (40000, "]["), (40000, "1 "), (40000, "1,\n"), (40000, "-1.5e+00 "), (40000, "1e"), (40000, "e"), (40000, "."),
        (40000, "... "), (40000, "…"), (40000, "nan "), (40000, "inf"), (40000, "\x1b["), (40000, "\x1b]"), (40000, "\x1b]0;a\a"), (40000, "x = "),
        (40000, "x: "), (40000, ">>> "), (40000, "> "), (40000, "| 1 "), (40000, "|\n"), (40000, "(1, "), (40000, "{"), (40000, '{"a":'), (40000, '"'),
        (40000, "'"), (40000, "\n"), (40000, " "), (40000, "旅"), (40000, "grad_fn=<"), (40000, "dtype="), (40000, "#"), (40000, "\\"), (40000, "$"),
        (40000, "&"), (40000, "1&2\\\\\n"), (40000, "[1.]\n"), (20000, "a\n[[1., 2.]]\n"),
    )),
    # JSON.
    *((f"JSON of {piece!r}", n, lambda n, piece=piece: piece * n, [*DIAGNOSE[:1], option, "-"]) for option in ("--input", "--weights") for n, piece in (
        (200000, "["), (200000, '{"a":'), (200000, "[1,"), (200000, " "), (200000, "-"), (200000, "1"), (200000, '"'), (200000, '"\\u0041'), (200000, "\\"),
        (200000, "\n"), (200000, "[1]"),
    )),
    ("members of a JSON object", 40000, lambda n: weights(names(n)), WEIGHTS),
    ("members of a JSON object nobody knows", 40000, lambda n: weights(names(n)), INPUT),
    ("members that differ in their last character", 40000, lambda n: weights(names(n, "a" * 40 + "{}")), WEIGHTS),
    ("JSON objects in an array", 100000, lambda n: lesson('"a"', "[" + "{}," * n + "1]"), INPUT),
    ("JSON rows of one number", 100000, lambda n: lesson('"a"', "[" + "[1]," * n + "[1]]"), INPUT),
    ("JSON rows of different lengths", 1000, lambda n: lesson('"a"', "[" + ",".join(str([1] * i) for i in range(1, int(40 * n**0.5))) + "]"), INPUT),
    ("tensors of JSON", 40000, lambda n: lesson('"a"', "[" + "[[1, 2], [3]]," * n + "1]"), INPUT),
    ("truth values of JSON", 5000, lambda n: json.dumps({"mask": [[True] * 20] * n}).encode(), WEIGHTS),
    ("a string of JSON", 400000, lambda n: lesson('"' + "a" * n + '"', "[[1]]"), INPUT),
    ("escapes of JSON", 100000, lambda n: lesson('"' + "\\u65c5" * n + '"', "[[1]]"), INPUT),
    ("digits of JSON", 400000, lambda n: lesson('"a"', "[[0." + "1" * n + "]]"), INPUT),
    ("zeros of JSON", 400000, lambda n: lesson('"a"', "[[1" + "0" * n + "e-" + str(n) + "]]"), INPUT),
    ("a line with a fault at its end", 400000, lambda n: lesson('"' + "旅" * n + '" x'), INPUT),
    # Tokens, addresses, options and answers.
    ("tokens", 40000, lambda n: lesson(", ".join(f'"{i}"' for i in range(n)), "[[1]]"), INPUT),
    ("tokens that are all the same", 40000, lambda n: lesson(", ".join(['"a"'] * n), "[[1]]"), [*INPUT, "--focus=a"]),
    ("brackets of an address", 20000, lambda n: "", lambda n: ["causal", "--explain", "attn_weights" + "[0]" * n]),
    ("letters of an address", 60000, lambda n: "", lambda n: ["causal", "--explain", "a" * n]),
    ("letters of a stage", 60000, lambda n: "", lambda n: ["a" * n]),
    ("digits of an option", 60000, lambda n: "", lambda n: ["causal", "--dropout", "0." + "1" * n]),
    ("options", 10000, lambda n: "", lambda n: ["causal", *["--quiet"] * n]),
    ("steps", 5000, lambda n: "", lambda n: ["causal", *["--step=values"] * n, "--quiet"]),
    ("heads before the only step shown", 512, lambda n: "", lambda n: ["multi-head-wrapper", "--heads", str(n), "--step=context_vec"]),
    ("answers", 20000, lambda n: "1\n" * n, QUIZ),
    ("an answer", 400000, lambda n: "1" * n, QUIZ),
    ("an answer of brackets", 400000, lambda n: "[" * n + "\n", QUIZ),
    # Archives.
    ("tensors of safetensors", 40000, lambda n: safetensors(empty_tensors(names(n))), WEIGHTS),
    ("tensors of safetensors for a lesson", 40000, lambda n: safetensors(empty_tensors(names(n))), INPUT),
    ("metadata of safetensors", 40000, lambda n: safetensors({}, [(name, "") for name in names(n)]), WEIGHTS),
    ("axes of safetensors", 100000, lambda n: safetensors({"x": {"dtype": "F32", "shape": [1] * n, "data_offsets": [0, 0]}}), WEIGHTS),
    ("layers of safetensors", 15000, lambda n: safetensors(empty_tensors(modules(n))), LAYER),
    ("layers of safetensors of which none is chosen", 15000, lambda n: safetensors(empty_tensors(modules(n))), WEIGHTS),
    ("heads of safetensors", 15000, lambda n: safetensors(empty_tensors(heads(n))), ["multi-head-wrapper", *WEIGHTS[1:]]),
    ("masks of safetensors", 40000, lambda n: safetensors(empty_tensors(names(n, "heads.{}.mask"))), WEIGHTS),
    ("members of .npz", 20000, lambda n: npz(names(n)), WEIGHTS),
    ("members of .npz for a lesson", 20000, lambda n: npz(names(n)), INPUT),
    ("heads of .npz", 8000, lambda n: npz(heads(n)), ["multi-head-wrapper", *WEIGHTS[1:]]),
    ("extra fields of .npz", 30, lambda n: npz(names(20), extra=b"\0\0\0\0" * 100 * n), WEIGHTS),
    ("ends in the comment of a .npz", 8000, lambda n: npz(names(1)) + b"PK\5\6" * n, WEIGHTS),
    ("commas of .npy", 2000, lambda n: b"\x93NUMPY\1\0" + struct.pack("<H", 4 * n) + b"{'a'" + b"," * (4 * n - 4), WEIGHTS),
    ("numbers of .npy", 200000, lambda n: b"\x93NUMPY\1\0" + struct.pack("<H", 70) + f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({n}, 4), }}".ljust(69).encode() + b"\n" + bytes(16 * n), INPUT),
]  # fmt: skip


class Growth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "file")
        self.empty = min(self.seconds(["--version"], b"") for _ in range(3))

    def seconds(self, arguments, content):
        """The processor time of one run."""
        self.path.write_bytes(content)
        command = [PROGRAM, *(str(self.path) if argument == "FILE" else argument for argument in arguments)]
        with open(self.path, "rb") as stdin, open(os.devnull, "wb") as sink, subprocess.Popen(command, stdin=stdin, stdout=sink, stderr=sink, env=environment()) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, (0, 1, 2), command[:3])
        return usage.ru_utime + usage.ru_stime

    def test_twice_the_input_takes_twice_the_time(self):
        for name, n, make, arguments in CASES:
            with self.subTest(name):

                def seconds(count):
                    content = make(count)
                    content = content if isinstance(content, bytes) else content.encode()
                    return self.seconds(arguments(count) if callable(arguments) else arguments, content) - self.empty

                for _ in range(4):  # machines are shared
                    once, twice = seconds(n), seconds(2 * n)
                    if twice < ENOUGH or twice < MOST * once:
                        break
                if "-v" in sys.argv:
                    print(f"{name}: {once:.3f} s, {twice:.3f} s", file=sys.stderr)
                self.assertTrue(twice < ENOUGH or twice < MOST * once, f"{name}: {once:.3f} s, {twice:.3f} s")


if __name__ == "__main__":
    unittest.main()
