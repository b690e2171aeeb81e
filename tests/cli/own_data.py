"""Tokens and weights of the reader's own, as files of NumPy and of models have them. Argument: the program."""

import json
import pathlib
import struct
import tempfile
import unittest

from program import LESSON, run

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]


class OwnData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def trace(self, *arguments):
        answer = run(*arguments, "--json=-")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), arguments)
        return json.loads(answer.stdout)["stages"][0]

    def test_an_array_stored_column_by_column(self):
        header = b"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n"
        columns = [x for column in zip(*ROWS) for x in column]
        path = self.file("columns.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<6f", *columns))
        self.assertEqual(self.trace("causal", f"--input={path}", "--step=inputs")["steps"][0]["data"], ROWS)

    def test_own_tokens_are_a_batch_of_one_unless_more_are_asked_for(self):
        lesson = self.file("lesson.json", LESSON)
        for stage in ("causal-batch", "multi-head", "multi-head-wrapper"):
            for arguments, batch in (([], 2), ([f"--input={lesson}"], 1), ([f"--input={lesson}", "--batch=3"], 3)):
                self.assertEqual(self.trace(stage, *arguments)["parameters"]["batch"], batch, (stage, arguments))

    def test_errata_are_of_the_documents_numbers(self):
        lesson = self.file("lesson.json", LESSON)
        self.assertIn("\nErrata in the documents: 3; attn-walkthrough errata multi-head-wrapper shows\nthem.\n", run("multi-head-wrapper").stdout)
        for arguments in ([], ["--out=-.html"], ["--out=-.md"]):
            self.assertNotIn("Errat", run("multi-head-wrapper", f"--input={lesson}", *arguments).stdout, arguments)

    def test_the_projections_of_one_head(self):
        weights = {f"{name}_proj.weight": ROWS for name in "qkv"}
        own = self.trace("causal", f"--weights={self.file('qkv.json', weights)}", "--step=W_key")
        self.assertEqual((own["steps"][0]["data"], own["parameters"]["d_out"]), (ROWS, 2))

    def test_what_is_advised_about_heads_works(self):
        model = self.file("model.json", {f"layers.0.{name}_proj.weight": ROWS for name in "qkv"})
        answer = run("causal", f"--weights={model}")
        self.assertEqual(answer.returncode, 2)
        self.assertTrue(answer.stderr.endswith("give --heads N and --head K.\n"), answer.stderr)
        self.assertEqual(self.trace("causal", f"--weights={model}", "--heads=2", "--head=1")["parameters"]["d_out"], 1)


if __name__ == "__main__":
    unittest.main()
