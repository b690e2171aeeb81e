"""Cases of the formats' own tests: what NumPy's test_format.py and safetensors' tensor.rs try on their readers, tried on ours.
Files that theirs read are read, to the same numbers; what theirs refuse is refused, with the reason. Argument: the program."""

import io
import json
import pathlib
import struct
import tempfile
import unittest
import zipfile

from program import run

NUMBERS = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
READ = "tensor([[1., 2., 3.],\n        [4., 5., 6.]])\n"


def npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", data=NUMBERS, version=(1, 0), magic=b"\x93NUMPY"):
    text = header.encode("utf-8" if version[0] == 3 else "latin-1")
    return magic + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", len(text)) + text + data


def described(descr="'<f4'", order="False", shape="(2, 3)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


def numbers(code, values=(1, 2, 3, 4, 5, 6)):
    return struct.pack(code, *values)


def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def one(dtype="F32", shape=(2, 3), offsets=(0, 24)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def npz(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


# A file that is read as READ.
ARRAYS = {
    "version 1": npy(),
    "version 2": npy(version=(2, 0)),
    "version 3": npy(version=(3, 0)),
    "padded to 64 bytes, as is written": npy(described() + " " * 40 + "\n"),
    "more digits than there were": npy(described(shape="(2,3)")),
    "no comma at the end": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"),
    "keys in another order": npy("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}"),
    "double quotes": npy('{"descr": "<f4", "fortran_order": False, "shape": (2, 3)}'),
    "column by column": npy(described(order="True"), numbers("<6f", (1, 4, 2, 5, 3, 6))),
    "double": npy(described("'<f8'"), numbers("<6d")),
    "half": npy(described("'<f2'"), numbers("<6e")),
}
# A file that is refused, and the reason.
NO_ARRAYS = {
    "an empty file": (b"", "is empty"),
    "magic alone": (b"\x93NUMPY", "truncated"),
    "magic and version": (b"\x93NUMPY\1\0", "truncated"),
    "half a length": (b"\x93NUMPY\1\0\x10", "truncated"),
    "half a header": (npy()[:40], "truncated"),
    "other magic": (npy(magic=b"\x92NUMPY"), "does not begin with \\x93NUMPY"),
    "lower case": (npy(magic=b"\x93numpy"), "does not begin with \\x93NUMPY"),
    **{f"version {major}.{minor}": (npy(version=(major, minor)), "version") for major, minor in ((0, 1), (4, 0), (255, 255))},
    "a header of nothing": (npy(""), "The text ends before"),
    "no dictionary": (npy("[1, 2]"), "expected an object"),
    "code": (npy("__import__('os').system('true')"), "invalid JSON"),
    "a key too few": (npy("{'descr': '<f4', 'shape': (2, 3)}"), "fortran_order"),
    "a key too many": (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}"), "x"),
    "a key twice": (npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"), "descr"),
    "a shape that is a number": (npy(described(shape="6")), "expected an array"),
    "a shape of words": (npy(described(shape="('2', 3)")), "shape"),
    "a negative size": (npy(described(shape="(-2, -3)")), "shape"),
    "sizes whose product overflows": (npy(described(shape="(4611686018427387904, 4)")), "/shape/0: expected a whole number"),
    "an order that is no truth": (npy(described(order="1")), "fortran_order"),
    "the other byte order": (npy(described("'>f4'"), numbers(">6f")), "save them as float32"),
    "integers": (npy(described("'<i8'"), numbers("<6q")), "save them as float32"),
    "a type that is none": (npy(described("'<f5'")), "f5"),
    "complex numbers": (npy(described("'<c8'")), "c8"),
    "text": (npy(described("'<U3'")), "U3"),
    "records": (npy(described("[('a', '<f4')]")), "expected a string but found an array"),
    "records within records": (npy(described("[('a', '<f4'), ('b', [('c', '<i4')])]")), "expected a string but found an array"),
    "a shape in a record": (npy(described("[('a', '<f4', (2, 2))]")), "expected a string but found an array"),
    "Python objects": (npy(described("'|O'"), b"\x80\x04K\x01."), "|O"),
    "void": (npy(described("'|V4'")), "V4"),
    "dates": (npy(described("'<M8[s]'")), "M8"),
    "too few bytes": (npy(data=NUMBERS[:-1]), "bytes"),
    "too many bytes": (npy(data=NUMBERS + b"\0"), "bytes"),
    "no bytes": (npy(data=b""), "bytes"),
    "a header that claims more than there is": (b"\x93NUMPY\2\0\xff\xff\xff\xff{}", "truncated"),
}
WEIGHTS = {f"W_{part}.weight": one(offsets=(24 * i, 24 * i + 24)) for i, part in enumerate(("query", "key", "value"))}
DATA = NUMBERS * 3
TEXT = json.dumps(WEIGHTS).encode()
# Weights that are read, and those that are refused.
TENSORS = {
    "in order": safetensors(WEIGHTS, DATA),
    "with spaces behind the header": safetensors(TEXT + b"   ", DATA),
    "with metadata": safetensors({"__metadata__": {"format": "pt"}, **WEIGHTS}, DATA),
    "with metadata of nothing": safetensors({"__metadata__": {}, **WEIGHTS}, DATA),
    "in another order than their bytes": safetensors(dict(reversed(WEIGHTS.items())), DATA),
    "double": safetensors({name: one("F64", offsets=(48 * i, 48 * i + 48)) for i, name in enumerate(WEIGHTS)}, numbers("<6d") * 3),
    "half": safetensors({name: one("F16", offsets=(12 * i, 12 * i + 12)) for i, name in enumerate(WEIGHTS)}, numbers("<6e") * 3),
}
NO_TENSORS = {
    "an empty file": (b"", "is empty"),
    "less than a length": (b"\x00\x00", "shorter than a header"),
    "a length alone": (struct.pack("<Q", 2), "header"),
    "a header beyond the file": (safetensors(TEXT, length=2**20), "header"),
    "a header of all bytes there could be": (safetensors(TEXT, length=2**64 - 1), "header"),
    "a header of nothing": (safetensors(b""), "header"),
    "a header in other bytes than UTF-8": (safetensors(b'{"\xff": 1}'), "UTF-8"),
    "a space before the header": (safetensors(b"x" + TEXT, DATA), "invalid JSON"),
    "a list for a header": (safetensors(b"[]"), "expected an object"),
    "two headers": (safetensors(TEXT + b"{}", DATA), "Unexpected text after the end"),
    "half a header": (safetensors(TEXT[:-1], DATA), "The text ends before"),
    "no tensors": (safetensors({}), "no tensor in it"),
    "a name twice": (safetensors(TEXT[:-1] + b', "W_query.weight": ' + json.dumps(one()).encode() + b"}", DATA), "W_query.weight"),
    "bytes that no tensor has": (safetensors(WEIGHTS, DATA + b"\0"), "its tensors need 72 bytes, but 73 follow"),
    "too few bytes": (safetensors(WEIGHTS, DATA[:-1]), "in the 71 bytes"),
    "a hole": (safetensors({**WEIGHTS, "W_value.weight": one(offsets=(52, 76))}, DATA + bytes(4)), "its tensors need 72 bytes, but 76 follow"),
    "all at one place": (safetensors({name: one() for name in WEIGHTS}, NUMBERS), "its tensors need 72 bytes, but 24 follow"),
    "an end before its begin": (safetensors({**WEIGHTS, "W_value.weight": one(offsets=(72, 48))}, DATA), "in the 72 bytes"),
    "a shape of other than its bytes": (safetensors({**WEIGHTS, "W_value.weight": one(shape=(2, 4), offsets=(48, 72))}, DATA), "needs 32 bytes"),
    "a shape whose product overflows": (safetensors({**WEIGHTS, "W_value.weight": one(shape=(2**63, 2**63), offsets=(48, 72))}, DATA), "/W_value.weight/shape/0"),
    "a negative size": (safetensors({**WEIGHTS, "W_value.weight": one(shape=(-2, -3), offsets=(48, 72))}, DATA), "-2"),
    "a size that is no integer": (safetensors({**WEIGHTS, "W_value.weight": one(shape=(2.5, 3), offsets=(48, 72))}, DATA), "2.5"),
    "a type that is none": (safetensors({**WEIGHTS, "W_value.weight": one("F33", offsets=(48, 72))}, DATA), "F33"),
    "FP8": (safetensors({"W_query.weight": one("F8_E5M2", offsets=(0, 6))}, bytes(6)), "F8_E5M2"),
    "a key too few": (safetensors({"W_query.weight": {"dtype": "F32", "shape": [2, 3]}}, NUMBERS), "data_offsets"),
}


class Formats(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def answer(self, name, content, *arguments):
        path = self.folder / name
        path.write_bytes(content)
        return run(*arguments, str(path))

    def is_refused(self, answer, path, reason):
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertRegex(answer.stderr, f"^attn-walkthrough: {self.folder / path}( \\(header\\))?:")
        self.assertIn(reason, answer.stderr.split(path, 1)[1])

    def test_arrays(self):
        for case, content in ARRAYS.items():
            with self.subTest(case):
                answer = self.answer("x.npy", content, "causal", "--quiet", "--step=inputs", "--input")
                self.assertEqual((answer.returncode, answer.stderr, answer.stdout), (0, "", READ))

    def test_no_arrays(self):
        for case, (content, reason) in NO_ARRAYS.items():
            with self.subTest(case):
                self.is_refused(self.answer("x.npy", content, "causal", "--input"), "x.npy", reason)

    def test_archives(self):
        members = [(f"{name}.npy", npy()) for name in WEIGHTS]
        expected = self.answer("x.safetensors", TENSORS["in order"], "causal", "--quiet", "--weights").stdout
        self.assertIn("tensor(", expected)
        for case, content in {"stored": npz(members), "deflated": npz(members, zipfile.ZIP_DEFLATED)}.items():
            with self.subTest(case):
                answer = self.answer("x.npz", content, "causal", "--quiet", "--weights")
                self.assertEqual((answer.returncode, answer.stderr, answer.stdout), (0, "", expected))

    def test_tensors(self):
        expected = None
        for case, content in TENSORS.items():
            with self.subTest(case):
                answer = self.answer("x.safetensors", content, "causal", "--quiet", "--weights")
                self.assertEqual((answer.returncode, answer.stderr), (0, ""))
                expected = expected or answer.stdout
                self.assertEqual(answer.stdout, expected)

    def test_no_tensors(self):
        for case, (content, reason) in NO_TENSORS.items():
            with self.subTest(case):
                self.is_refused(self.answer("x.safetensors", content, "causal", "--weights"), "x.safetensors", reason)


if __name__ == "__main__":
    unittest.main()
