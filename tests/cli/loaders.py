"""All files use one loader: the same fault has the same message, with its place, whatever the file is for."""

import json
import re
import struct

import pytest

from program import ok, own_weights, refuses, run

# For each purpose, the JSON around the faulty value: the text before it, the text after it, and its pointer.
LOADERS = {
    "--input": (b'{"tokens": ["a", "b"],\n "embeddings": ', b"}\n", "/embeddings"),
    "--weights": (b'{"W_query.weight":\n  ', b"}\n", "/W_query.weight"),
}
# A paste is any text, so only its bytes have the same checks.
TEXTS = LOADERS | {"diagnose": (b'{"attn_weights": ', b"}\n", "/attn_weights")}


def said(option, text):
    """Returns the error for a text, without the name of the program and of the file."""
    line = "diagnose causal -" if option == "diagnose" else f"causal {option}=-"
    answer = run(line, stdin=text, encoding=None)
    assert (answer.returncode, answer.stdout) == (2, b""), (option, text, answer)
    head, message = answer.stderr.decode()[:-1].split("standard input", 1)
    assert head == "attn-walkthrough: " and "standard input" not in message, answer.stderr
    return message


def at_place(value, offset, problem, shown=None, texts=LOADERS):
    """Checks that the error is at that byte of the value, which is ASCII up to there."""
    for option, (before, behind, _) in texts.items():
        text = before + value + behind
        lines = text[: len(before) + offset].split(b"\n")
        line, column = len(lines), len(lines[-1]) + 1
        whole = shown or text.split(b"\n")[line - 1].decode()
        whole = lines[-1][: len(lines[-1]) - offset].decode() + shown if shown else whole
        caret = " " * (column - 1) + "^"
        assert said(option, text) == f":{line}:{column}: {problem}\n  {whole}\n  {caret}", option


STRING = "The string is not closed, or has a character that must be escaped."
NAMES = "Outside quotes, JSON allows only true, false, null and finite numbers."


@pytest.mark.parametrize("value, offset, problem", [
    (b'[["\\ud800", 2]]', 9, STRING), (b'[["\\udc00", 2]]', 8, STRING),  # half a surrogate pair
    (b"[[1, NaN]]", 5, NAMES),
    (b"[[1, -Infinity]]", 5, "Expected a finite number such as 0.5, -1 or 1e-3."),
    (b"[[1, 1e999]]", 5, "This number is outside the range of double, ±1.7976931348623157e308."),
])  # fmt: skip
def test_what_is_no_json(value, offset, problem):
    at_place(value, offset, f"invalid JSON. {problem}")


LARGE = "expected a number within float32's range, ±3.4028235e38."


@pytest.mark.parametrize("value, pointer, problem", [
    (b"[[1, 2], [3, 1e39]]", "/1/1", LARGE), (b"[[1, 2], [3, -3.5e38]]", "/1/1", LARGE),
    (b"[[1, 2], [3, null]]", "/1/1", "expected a number but found null."),
    (b"[[1, 2], [3, true]]", "/1/1", "expected a number but found true."),
    (b"[[1, 2], [3]]", "/1", "expected length 2, like the first row, but found length 1."),
    (b"[[1, 2], []]", "/1", "expected length 2, like the first row, but found length 0."),
    (b"[[1, 2], 3]", "/1", "expected an array but found 3."),
])  # fmt: skip
def test_what_is_no_tensor(value, pointer, problem):
    for option, (before, behind, root) in LOADERS.items():
        assert said(option, before + value + behind) == f": at {root}{pointer}: {problem}", option


def test_what_is_no_text_in_utf_8():
    nul = "a NUL byte, as in UTF-16; save the file as UTF-8."
    at_place(b"[[1, \0]]", 5, nul, "[[1, \\x00]]}", TEXTS)
    for content in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80"):
        shown = '[["' + "".join(f"\\x{byte:02x}" for byte in content) + '"]]}'
        at_place(
            b'[["' + content + b'"]]',
            3,
            "this byte is not valid UTF-8; save the file as UTF-8.",
            shown,
            TEXTS,
        )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_other_encodings(encoding):
    reason = "^:1:[12]: .*; (text holds none: )?save the file as UTF-8.\n  "
    for option, (before, behind, _) in TEXTS.items():
        for mark in ("", "\ufeff"):
            if option == "diagnose" and encoding.startswith("utf-16") and mark:
                continue  # PowerShell writes UTF-16 with a mark, so pastes may have it
            text = mark + (before + b"[[1]]" + behind).decode()
            assert re.search(reason, said(option, text.encode(encoding)))


@pytest.mark.parametrize("option", LOADERS)
def test_depth_keys_and_more_than_one_value(option):
    before, behind, _ = LOADERS[option]
    for value in (b"[" * 40 + b"1" + b"]" * 40, b"[" * 100_000):
        assert said(option, before + value + behind) == ": nested more than 32 deep."
    twice = said(option, before + b'[{"k": 1, "k": 2}]' + behind)
    assert twice == ': duplicate key "k" in one object; keep one.'
    member = before[before.rindex(b'"', 0, before.rindex(b":") - 1) :] + b"[[1]]"
    assert "in one object; keep one." in said(option, before + b"[[1]], " + member + behind)
    text = before + b"[[1, 2]]}"
    column = len(text.split(b"\n")[-1]) + 2
    for more in (b"x", b"{}", b"]", b"// that is all"):
        message = said(option, text + b" " + more)
        assert message.startswith(f":{text.count(10) + 1}:{column}: invalid JSON. "), message
        assert ("JSON allows no comments." in message) == (b"//" in more)


MEMBER = '"x": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}'
WHOLE = ": at /x/shape/1: expected a whole number from 0 to 9007199254740992 but found"


@pytest.mark.parametrize("header, message", [
    ('{"x": {"dtype": "F32", "shape": [1, 1.5], "data_offsets": [0, 4]}}', f"{WHOLE} 1.5."),
    ('{"x": {"dtype": "F32", "shape": [1, true], "data_offsets": [0, 4]}}', f"{WHOLE} true."),
    ("{" + MEMBER + ", " + MEMBER + "}", ': duplicate key "x" in one object; keep one.'),
    ("{" + MEMBER + ",}", ":1:65: invalid JSON. JSON allows no comma after the last element."),
    ("{" + MEMBER + "} x", ":1:66: invalid JSON. Unexpected text after the end of the value."),
    ('{"x": ' + "[" * 40 + "]" * 40 + "}", ": nested more than 32 deep."),
    ('{"\0": 1}', ":1:3: a NUL byte, as in UTF-16; save the file as UTF-8."),
])  # fmt: skip
def test_the_header_of_safetensors_is_such_a_json_too(tmp_path, header, message):
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + struct.pack("<f", 1))
    for option in ("--input", "--weights"):
        answer = run("causal", option, path)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert answer.stderr.split("\n")[0] == f"attn-walkthrough: {path} (header){message}"


def test_the_files_are_right_without_the_fault(tmp_path):
    ok("causal --input=-", stdin='{"tokens": ["a", "b"], "embeddings": [[1, 2], [3, 4]]}')
    assert run("diagnose causal -", stdin='{"x": [[1.5, 2]]}').returncode in (0, 1)
    right = own_weights([[1, 0], [0, 1]])
    (tmp_path / "own.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(right).encode())
    ok("causal --input=- --weights", tmp_path / "own.json", stdin='{"tokens": ["a"], "embeddings": [[1, 2]]}')


def test_a_table_is_no_file_of_weights(tmp_path):
    (tmp_path / "w.csv").write_text("1,2,3\n")
    message = "w.csv: expected weights as JSON, .npz or .safetensors."
    refuses("causal --weights w.csv", cwd=tmp_path, message=message)
