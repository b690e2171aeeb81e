"""All files use one loader: the same fault has the same message, with its place, whatever the file is for."""

import json
import pathlib
import re
import struct
import tempfile
import unittest

from program import PROGRAM, environment, run

import subprocess

# For each purpose, the JSON around the faulty value: the text before it, the text after it, and its pointer.
LOADERS = {
    "--input": (b'{"tokens": ["a", "b"],\n "embeddings": ', b"}\n", "/embeddings"),
    "--weights": (b'{"W_query.weight":\n  ', b"}\n", "/W_query.weight"),
}
# A paste is any text, so only its bytes have the same checks.
TEXTS = LOADERS | {"diagnose": (b'{"attn_weights": ', b"}\n", "/attn_weights")}


def said(option, text):
    """Returns the error for a text, without the name of the program and of the file."""
    arguments = [option, "-"] if option == "diagnose" else [f"{option}=-"]
    answer = subprocess.run(
        [PROGRAM, "causal", *arguments], input=text, capture_output=True, env=environment()
    )
    assert (answer.returncode, answer.stdout) == (2, b""), (option, text, answer)
    head, message = answer.stderr.decode()[:-1].split("standard input", 1)
    assert head == "attn-walkthrough: " and "standard input" not in message, answer.stderr
    return message


class Loaders(unittest.TestCase):
    maxDiff = None

    def at_place(self, value, offset, problem, shown=None, texts=LOADERS):
        """Checks that the error is at that byte of the value, which is ASCII up to there."""
        for option, (before, behind, _) in texts.items():
            text = before + value + behind
            lines = text[: len(before) + offset].split(b"\n")
            line, column = len(lines), len(lines[-1]) + 1
            whole = shown or text.split(b"\n")[line - 1].decode()
            whole = lines[-1][: len(lines[-1]) - offset].decode() + shown if shown else whole
            caret = " " * (column - 1) + "^"
            assert said(option, text) == f":{line}:{column}: {problem}\n  {whole}\n  {caret}", option

    def at_pointer(self, value, pointer, problem):
        for option, (before, behind, root) in LOADERS.items():
            assert said(option, before + value + behind) == f": at {root}{pointer}: {problem}", option

    def test_what_is_no_text_in_utf_8(self):
        self.at_place(
            b"[[1, \0]]", 5, "a NUL byte, as in UTF-16; save the file as UTF-8.", "[[1, \\x00]]}", TEXTS
        )
        for bytes_, shown in (
            (b"\xff", "\\xff"),
            (b"\xc0\xaf", "\\xc0\\xaf"),
            (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
        ):
            self.at_place(
                b'[["' + bytes_ + b'"]]',
                3,
                "this byte is not UTF-8; save the file as UTF-8.",
                f'[["{shown}"]]}}',
                TEXTS,
            )

    def test_other_encodings(self):
        for option, (before, behind, _) in TEXTS.items():
            text = (before + b"[[1]]" + behind).decode()
            for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
                for mark in ("", "\ufeff"):
                    if option == "diagnose" and encoding.startswith("utf-16") and mark:
                        continue  # PowerShell writes UTF-16 with a mark, so pastes may have it
                    assert re.search(
                        "^:1:[12]: .*; (text holds none: )?save the file as UTF-8.\n  ",
                        said(option, (mark + text).encode(encoding)),
                    )

    def test_half_a_surrogate_pair(self):
        self.at_place(
            b'[["\\ud800", 2]]',
            9,
            "invalid JSON. The string is not closed, or has a character that must be escaped.",
        )
        self.at_place(
            b'[["\\udc00", 2]]',
            8,
            "invalid JSON. The string is not closed, or has a character that must be escaped.",
        )

    def test_numbers_that_are_none(self):
        self.at_place(
            b"[[1, NaN]]",
            5,
            "invalid JSON. Outside quotes, JSON allows only true, false, null and finite numbers.",
        )
        self.at_place(
            b"[[1, -Infinity]]", 5, "invalid JSON. Expected a finite number such as 0.5, -1 or 1e-3."
        )
        self.at_place(
            b"[[1, 1e999]]",
            5,
            "invalid JSON. This number is outside the range of double, ±1.7976931348623157e308.",
        )
        self.at_pointer(
            b"[[1, 2], [3, 1e39]]", "/1/1", "expected a number within float32's range, ±3.4028235e38."
        )
        self.at_pointer(
            b"[[1, 2], [3, -3.5e38]]", "/1/1", "expected a number within float32's range, ±3.4028235e38."
        )
        self.at_pointer(b"[[1, 2], [3, null]]", "/1/1", "expected a number but found null.")
        self.at_pointer(b"[[1, 2], [3, true]]", "/1/1", "expected a number but found true.")

    def test_rows_that_do_not_fit(self):
        self.at_pointer(
            b"[[1, 2], [3]]", "/1", "expected length 2, as the first row has, but found length 1."
        )
        self.at_pointer(b"[[1, 2], []]", "/1", "expected length 2, as the first row has, but found length 0.")
        self.at_pointer(b"[[1, 2], 3]", "/1", "expected an array but found 3.")

    def test_more_depth_than_there_is_need_for(self):
        for option, (before, behind, _) in LOADERS.items():
            for value in (b"[" * 40 + b"1" + b"]" * 40, b"[" * 100_000):
                assert said(option, before + value + behind) == ": nested more than 32 deep."

    def test_a_key_that_stands_twice(self):
        for option, (before, behind, _) in LOADERS.items():
            assert (
                said(option, before + b'[{"k": 1, "k": 2}]' + behind)
                == ': duplicate key "k" in one object; keep one.'
            )
            member = before[before.rindex(b'"', 0, before.rindex(b":") - 1) :] + b"[[1]]"
            assert "in one object; keep one." in said(option, before + b"[[1]], " + member + behind)

    def test_more_than_one_value(self):
        for option, (before, behind, _) in LOADERS.items():
            text = before + b"[[1, 2]]}"
            column = len(text.split(b"\n")[-1]) + 2
            for more in ("x", "{}", "]", "// that is all"):
                message = said(option, text + b" " + more.encode())
                assert message.startswith(f":{text.count(10) + 1}:{column}: invalid JSON. "), message
                assert ("JSON allows no comments." in message) == ("//" in more)

    def test_the_header_of_safetensors_is_such_a_json_too(self):
        member = '"x": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}'
        cases = (
            (
                '{"x": {"dtype": "F32", "shape": [1, 1.5], "data_offsets": [0, 4]}}',
                ": at /x/shape/1: expected a whole number from 0 to 9007199254740992 but found 1.5.",
            ),
            (
                '{"x": {"dtype": "F32", "shape": [1, true], "data_offsets": [0, 4]}}',
                ": at /x/shape/1: expected a whole number from 0 to 9007199254740992 but found true.",
            ),
            ("{" + member + ", " + member + "}", ': duplicate key "x" in one object; keep one.'),
            ("{" + member + ",}", ":1:65: invalid JSON. JSON allows no comma after the last element."),
            ("{" + member + "} x", ":1:66: invalid JSON. Unexpected text after the end of the value."),
            ('{"x": ' + "[" * 40 + "]" * 40 + "}", ": nested more than 32 deep."),
            ('{"\0": 1}', ":1:3: a NUL byte, as in UTF-16; save the file as UTF-8."),
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.safetensors")
            for header, message in cases:
                path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + struct.pack("<f", 1))
                for option in ("--input", "--weights"):
                    answer = run("causal", option, str(path))
                    assert (answer.returncode, answer.stdout) == (2, "")
                    assert answer.stderr.split("\n")[0] == f"attn-walkthrough: {path} (header){message}"

    def test_the_files_are_right_without_the_fault(self):
        right = {f"W_{name}.weight": [[1, 0], [0, 1]] for name in ("query", "key", "value")}
        for option, text in (
            ("--input", '{"tokens": ["a", "b"], "embeddings": [[1, 2], [3, 4]]}'),
            ("diagnose", '{"x": [[1.5, 2]]}'),
        ):
            assert run(
                "causal", *([option, "-"] if option == "diagnose" else [f"{option}=-"]), stdin=text
            ).returncode in (0, 1)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "weights.json")
            path.write_bytes(b"\xef\xbb\xbf" + json.dumps(right).encode())
            lesson = '{"tokens": ["a"], "embeddings": [[1, 2]]}'
            assert run("causal --input=- --weights", str(path), stdin=lesson).returncode == 0
