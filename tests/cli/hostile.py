"""Files made to do harm: what they cost is what they are, and what they are called is only ever text. Argument: the program."""

import ast
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import zipfile
import zlib

from program import PROGRAM, environment, run


def npy(shape, numbers=b""):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + numbers


def safetensors(tensors):
    """Of float32 tensors, each given as its shape and numbers."""
    header, data = {}, b""
    for name, (shape, numbers) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def refused_cheaply(self, *arguments):
        """The message, of a run of at most 60 MB and 1 s."""
        with subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()) as process:
            message = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((process.returncode, message.count(b"\n")), (2, 1), message)
        self.assertLess(usage.ru_maxrss, 60 * 1024)
        self.assertLess(usage.ru_utime + usage.ru_stime, 1)
        return message.decode()

    def test_a_small_file_that_would_inflate_to_much(self):
        content = npy("(2, 3)")
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed, crc, size, zeros = deflate.compress(content), zlib.crc32(content), len(content), bytes(2**24)
        for _ in range(2**29 // len(zeros)):
            packed, crc, size = packed + deflate.compress(zeros), zlib.crc32(zeros, crc), size + len(zeros)
        packed += deflate.flush()
        self.assertLess(len(packed), 600_000)
        common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(packed), size, 5, 0)
        member = b"PK\3\4" + common + b"x.npy" + packed
        entry = b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"x.npy"
        end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(member), 0)
        path = self.file("x.npz", member + entry + end)
        for arguments in (["simplified", "--input", path], ["linear", "--input", path]):
            self.assertIn(f"the shape (2, 3) of <f4 needs 24 bytes but has {size - len(content)}.", self.refused_cheaply(*arguments))

    def test_brackets_that_would_take_many_times_the_memory_of_their_text(self):
        for value in (b"[]", b'""', b"{}"):
            path = self.file("x.json", b"[")
            with open(path, "ab") as file:  # in parts, because the program's memory is counted from this one's
                for _ in range(2**8):
                    file.write((value + b",") * 2**16)
                file.write(value + b"]")
            run_ = subprocess.run([PROGRAM, "linear", "--input", path], capture_output=True, env=environment())
            self.assertEqual(run_.returncode, 2)
            self.assertIn(b": too many values: they need more than 1073741824 bytes of memory, the limit.\n", run_.stderr)

    def test_more_tokens_than_can_be_told_apart_on_any_screen(self):
        path = self.folder / "x.npy"
        with open(path, "wb") as file:
            file.write(npy("(134217728, 1)"))
            file.truncate(file.tell() + 4 * 2**27)
        self.assertIn("expected at most 4000000 tokens but found 134217728", run("simplified", "--input", str(path)).stderr)

    def test_more_heads_than_a_stage_writes_out(self):
        names = [f"heads.{head}.W_{part}.weight" for head in range(1001) for part in ("query", "key", "value")]
        path = self.file("x.safetensors", safetensors({name: ([1, 3], bytes(12)) for name in names}))
        self.assertIn("has 1001 heads; at most 1000 are supported", self.refused_cheaply("multi-head-wrapper", "--weights", path))

    def test_the_line_to_copy_names_a_tensor_by_a_literal(self):
        prefixes = ['h.0"] if 0 else __import__("os").system("x") #.', "h.0\\", 'a\\"b.', "h.\n0.", "h.\u202e0.", "旅.", "h.'.", "\x1b[2J."]
        for prefix in prefixes:
            tensors = {f"{prefix}{part}_proj.weight": ([2, 3], bytes(24)) for part in "qkv"}
            path = self.file("x.safetensors", safetensors(tensors))
            answer = run("causal", "--weights", path, "--heads=1", "--head=0", "--step=W_query", "--json=-")
            if not prefix.endswith("."):
                self.assertIn("cannot pick", answer.stderr)
                continue
            cuts = [line for line in json.loads(answer.stdout)["stages"][0]["setup"] if " = state_dict[" in line]
            self.assertEqual(len(cuts), 3, answer.stderr)
            for line, name in zip(cuts, tensors):
                (literal,) = re.findall(r"^# W_\w+ = state_dict\[(.*)\]$", line)
                self.assertEqual(ast.literal_eval(literal), name)


if __name__ == "__main__":
    unittest.main()
