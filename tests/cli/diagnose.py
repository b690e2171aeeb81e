"""--diagnose as a person uses it: what is pasted, what is answered, and the exit codes. Argument: the program."""

import json
import os
import re
import struct
import tempfile
import unittest
import zipfile

from program import run

WEIGHTS = """tensor([[0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
        [0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
        [0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480],
        [0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]],
       grad_fn=<SoftmaxBackward0>)
"""
# Exercise 3.2 as a public answer has it: softmax over the queries.
WRONG_AXIS = """tensor([[[-0.0915,  0.0342],
         [-0.1143,  0.0089]]])"""


class Diagnose(unittest.TestCase):
    def diagnosed(self, text, *options):
        answer = run("--diagnose", "-", "--json", "-", *options, stdin=text)
        self.assertIn(answer.returncode, (0, 1), answer.stderr)
        report = json.loads(answer.stdout)
        self.assertEqual((report["format"], report["version"]), ("attn-walkthrough/diagnosis", 1))
        for tensor in report["tensors"]:
            for match in tensor["matches"]:
                self.assertEqual(set(match), {"stage", "step", "piece", "mistakes", "parameters", "document", "bits", "max_abs_diff", "line", "instead_of"})
        return answer.returncode, report["tensors"]

    def step(self, *options):
        answer = run("causal", "--quiet", "--step", *options)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def test_a_right_table_is_named(self):
        code, (tensor,) = self.diagnosed(WEIGHTS)
        self.assertEqual((code, tensor["shape"], tensor["nearest"]), (0, [6, 6], None))
        self.assertEqual([(m["stage"], m["step"], m["mistakes"]) for m in tensor["matches"][:2]], [("linear", "attn_weights", []), ("causal", "attn_weights", [])])
        answer = run("--diagnose", "-", stdin=WEIGHTS)
        self.assertIn("This is attn_weights of causal.", answer.stdout)

    def test_every_printed_step_of_a_stage_is_recognised(self):
        for stage in ("causal", "multi-head", "simplified"):
            printed = run(stage).stdout
            code, tensors = self.diagnosed(printed, stage)
            self.assertEqual(code, 0)
            self.assertGreater(len(tensors), 9)

    def test_gradients_are_looked_for_where_one_is_named_so(self):
        printed = run("causal", "--backward", "--precision=8").stdout
        pasted = printed[printed.index(">>> print(keys.grad)"):]
        pasted = pasted[:pasted.index("\n\n")]
        code, (tensor,) = self.diagnosed(pasted, "causal")
        self.assertEqual((code, tensor["matches"][0]["step"], tensor["matches"][0]["parameters"]["backward"]), (0, "keys_grad", True))
        self.assertIn("This is keys_grad of causal with --backward", run("causal", "--diagnose", "-", stdin=pasted).stdout)
        twice = re.sub(r"-?\d+\.\d+", lambda number: f"{2 * float(number[0]):.4f}", pasted)
        code, (tensor,) = self.diagnosed(twice, "causal")
        self.assertEqual((code, tensor["matches"][0]["mistakes"]), (1, ["gradient-not-zeroed"]))

    def test_other_parameters(self):
        printed = self.step("attn_weights_causal", "--seed=123")
        code, (tensor,) = self.diagnosed(printed, "causal", "--seed=789")
        self.assertEqual((code, tensor["matches"][0]["mistakes"], tensor["matches"][0]["parameters"]["seed"]), (1, ["other-seed"], 123))
        self.assertIn("torch.manual_seed(123)", tensor["matches"][0]["line"])
        code, (tensor,) = self.diagnosed(printed, "causal", "--seed=123")
        self.assertEqual(code, 0)
        code, (tensor,) = self.diagnosed(self.step("context_vec", "--d-out=4"), "causal")
        self.assertEqual((code, tensor["matches"][0]["parameters"]["d_out"]), (0, 4))
        code, (tensor,) = self.diagnosed(self.step("queries", "--qkv-bias"), "causal")
        self.assertEqual((code, tensor["matches"][0]["parameters"]["qkv_bias"]), (0, True))

    def test_what_a_document_prints_is_right(self):
        for options, document in ((["--seed=123"], "004"), (["--dropout-rng=mkl"], "002"), ([], "000")):
            code, (tensor,) = self.diagnosed(self.step("attn_weights_dropped", *options), "causal")
            self.assertEqual((code, tensor["matches"][0]["mistakes"], tensor["matches"][0]["document"]), (0, [], document))
        code, (tensor,) = self.diagnosed(self.step("attn_weights_dropped", "--seed=124", "--dropout-seed=7"), "causal", "--seed=124", "--dropout-seed=7")
        self.assertEqual((code, tensor["matches"][0]["document"]), (0, None))
        self.assertIn("with --seed 123, as document 004 prints it.", run("causal", "--diagnose=-", stdin=self.step("attn_weights_causal", "--seed=123")).stdout.replace("\n", " "))

    def test_either_generator_of_dropout_masks_is_right_unless_one_is_asked_for(self):
        printed = self.step("attn_weights_dropped", "--dropout=0.2", "--dropout-rng=mkl")
        code, (tensor,) = self.diagnosed(printed, "causal", "--dropout=0.2")
        self.assertEqual((code, tensor["matches"][0]["mistakes"], tensor["matches"][0]["parameters"]["dropout_rng"]), (0, [], "mkl"))
        code, (tensor,) = self.diagnosed(printed, "causal", "--dropout=0.2", "--dropout-rng=mt19937")
        self.assertEqual((code, tensor["matches"][0]["mistakes"]), (1, ["dropout-other-rng"]))

    def test_pieces_are_said_as_python_indexes_them(self):
        rows = [[float(x) for x in line.strip(" tensor([]),").split(",")] for line in WEIGHTS.split("\n")[:6]]
        for piece, numbers in (
            ("", rows), ("[2]", rows[2]), ("[1:4]", rows[1:4]), ("[:, 1]", [row[1] for row in rows]), ("[2:4, 1:3]", [row[1:3] for row in rows[2:4]]),
            (".flatten()", sum(rows, [])), ("[3, 2:5]", rows[3][2:5]), ("[None]", [rows]),
        ):
            code, (tensor,) = self.diagnosed(json.dumps(numbers), "linear")
            self.assertEqual((code, tensor["matches"][0]["step"], tensor["matches"][0]["piece"]), (0, "attn_weights", piece))
        printed = run("linear", "--quiet", "--json=-").stdout
        values = {step["name"]: step["data"] for step in json.loads(printed)["stages"][0]["steps"]}
        turned = [list(column) for column in zip(*values["values"])]
        for piece, numbers in ((".T", turned), ("[:, 1]", turned[1])):
            code, (tensor,) = self.diagnosed(json.dumps(numbers), "linear")
            self.assertEqual((code, tensor["matches"][0]["step"], tensor["matches"][0]["piece"]), (0, "values", piece))
        batch = json.loads(run("multi-head", "--json=-").stdout)["stages"][0]["steps"]
        weights = next(step["data"] for step in batch if step["name"] == "attn_weights")
        for piece, numbers in (("[1]", weights[1]), ("[1, 0]", weights[1][0]), ("[1, 1, 2]", weights[1][1][2]), ("[0, 1, 2:4]", weights[0][1][2:4])):
            _, (tensor,) = self.diagnosed(json.dumps(numbers), "multi-head")
            self.assertIn(("attn_weights", piece.replace("[1", "[0", 1)), [(match["step"], match["piece"]) for match in tensor["matches"]])  # both entries of the batch are the same

    def test_stages_that_the_parameters_do_not_fit_are_left_out(self):
        code, (tensor,) = self.diagnosed(WEIGHTS, "--d-out=2")
        self.assertEqual((code, tensor["matches"][0]["step"]), (0, "attn_weights"))
        answer = run("causal-self-attention", "--diagnose=-", "--d-out=2", stdin=WEIGHTS)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn("8 heads do not divide", answer.stderr)

    def test_heads_and_weights_of_ones_own(self):
        printed = run("multi-head", "--quiet", "--step=context_vec", "--d-out=4").stdout
        for given, found in (([], True), (["--d-out=4"], True), (["--heads=1"], False), (["--batch=3"], True)):
            code, (tensor,) = self.diagnosed(printed, "multi-head", *given)
            self.assertEqual(code, 0 if found else 1, given)
        with tempfile.TemporaryDirectory() as folder:
            weights = os.path.join(folder, "own.json")
            rows = [[0.5, 0.25, 0.125], [0.75, 0.5, 0.25]]
            with open(weights, "w") as file:
                json.dump({f"W_{name}.weight": rows for name in ("query", "key", "value")}, file)
            printed = self.step("values", f"--weights={weights}")
            code, (tensor,) = self.diagnosed(printed, f"--weights={weights}")
            self.assertEqual((code, tensor["matches"][0]["mistakes"]), (0, []))
            self.assertNotIn("head-split", {match["stage"] for match in tensor["matches"]})
            self.assertNotIn("trainable", {match["stage"] for match in tensor["matches"]})  # has another layout
            self.assertEqual(self.diagnosed(printed)[0], 1)  # those of no seed
            code, _ = self.diagnosed(printed, "causal", f"--weights={weights}")
            self.assertEqual(code, 0)
            with open(weights, "w") as file:
                json.dump({"another": rows}, file)
            answer = run("--diagnose", "-", f"--weights={weights}", stdin=printed)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn("--weights: these are of no stage; name one to be told what it needs.", answer.stderr)

    def test_a_seed_is_searched_for(self):
        for seed in (4711, 10000):  # the last that is searched
            printed = self.step("attn_weights_causal", f"--seed={seed}")
            code, (tensor,) = self.diagnosed(printed, "causal")
            self.assertEqual((code, tensor["matches"]), (1, []))
            code, (tensor,) = self.diagnosed(printed, "causal", "--search-seeds")
            self.assertEqual((code, tensor["matches"][0]["parameters"]["seed"]), (1, seed))

    def test_several_tensors_and_the_worst_decides(self):
        code, tensors = self.diagnosed(WEIGHTS + "\nsome prose\n\nx = tensor([[1., 2.], [3., 4.]])\n")
        self.assertEqual((code, len(tensors), tensors[1]["name"]), (1, 2, "x"))

    def test_what_nothing_explains_has_a_nearest_step(self):
        wrong = WEIGHTS.replace("0.1496", "0.1596").replace("0.1571", "0.1671")
        code, (tensor,) = self.diagnosed(wrong, "causal")
        self.assertEqual((code, tensor["matches"]), (1, []))
        nearest = tensor["nearest"]
        self.assertEqual((nearest["step"], nearest["numbers_agreeing"], nearest["first_difference"]), ("attn_weights", 34, [1, 3]))
        self.assertIn("The first that differs is [1][3]: yours is 0.1596", run("causal", "--diagnose", "-", stdin=wrong).stdout)

    def test_a_single_number_that_is_another_one(self):
        for wrong in ("0.1596", "0.1946", "-0.1496"):
            code, (tensor,) = self.diagnosed(WEIGHTS.replace("0.1496", wrong), "causal")
            match = tensor["matches"][0]
            self.assertEqual((code, match["mistakes"], match["line"], match["instead_of"]), (1, ["mistyped"], f"attn_weights[1][3] = {wrong}", "attn_weights[1][3] = 0.1496"))
        rows = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.58, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lesson.json")
            with open(path, "w") as file:
                json.dump({"tokens": list("abcdef"), "embeddings": rows}, file)
            printed = self.step("context_vec", f"--input={path}")
        code, (tensor,) = self.diagnosed(printed, "causal")
        match = tensor["matches"][0]
        self.assertEqual((code, match["mistakes"], match["line"], match["instead_of"]), (1, ["other-input"], "inputs[2][1] = 0.58", "inputs[2][1] = 0.85"))

    def test_what_cannot_be_read(self):
        for text, message in (("", "is empty"), ("prose alone", "no tensor"), ("tensor([[1., 2.], [3.]])", "standard input:1:19: "), ("tensor([[1., 2.],\n", "standard input:")):
            answer = run("--diagnose", "-", stdin=text)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""), text)
            self.assertIn(message, answer.stderr)
        for arguments, message in ((["--as", "attn_weigths"], 'Did you mean "attn_weights"?'), (["--compare"], "give one of the two"), (["--html", "x.html"], "html")):
            answer = run("--diagnose", "-", *arguments, stdin=WEIGHTS)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""), arguments)
            self.assertIn(message, answer.stderr)

    def test_saved_arrays_are_read_under_their_own_names(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "run.npz")
            self.assertEqual(run("causal", "--quiet", f"--npz={saved}").returncode, 0)
            answer = run(f"--diagnose={saved}", "--json=-")
            report = json.loads(answer.stdout)
            self.assertEqual((answer.returncode, report["skipped"], len(report["tensors"])), (0, [], 20))
            for tensor in report["tensors"]:
                match = tensor["matches"][0]
                self.assertEqual((tensor["name"], match["mistakes"]), (f"causal.{match['step']}", []))
            with zipfile.ZipFile(saved) as archive:
                array = archive.read("causal.masked.npy")
            with zipfile.ZipFile(saved, "a") as archive:
                archive.writestr("words.npy", array.replace(b"'<f4'", b"'<U4'"))
            report = json.loads(run(f"--diagnose={saved}", "--json=-").stdout)
            self.assertEqual(len(report["tensors"]), 20)
            self.assertIn('holds numbers of type "<U4"', report["skipped"][0])
            self.assertIn('Not read: ', run(f"--diagnose={saved}").stdout)
            for name, content in (("alone.npy", array), ("whole.npy", array[:128].replace(b"'<f4'", b"'<i8'") + struct.pack("<36q", *[int(j <= i) for i in range(6) for j in range(6)]))):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
                answer = run(f"--diagnose={folder}/{name}", "--json=-")
                self.assertEqual((answer.returncode, json.loads(answer.stdout)["tensors"][0]["shape"]), (0, [6, 6]), name)

    def test_what_is_no_text_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for content, message in (
                (b"\x89PNG\r\n\x1a\n" + bytes(100), "is a picture (PNG); paste what PyTorch prints"),
                (b"\x80\x02}q\x00.", "is a pickle, which is never read"),
                (b"%PDF-1.7\n\xff", "is a PDF"),
                (bytes(range(256)) * 20, "is no text but binary data"),
            ):
                with open(os.path.join(folder, "file"), "wb") as file:
                    file.write(content)
                answer = run(f"--diagnose={folder}/file")
                self.assertEqual((answer.returncode, answer.stdout), (2, ""))
                self.assertIn(message, answer.stderr)
                self.assertNotIn("UTF-8", answer.stderr)

    def test_options_without_a_diagnosis_are_refused(self):
        for option in ("--as=context_vec", "--search-seeds"):
            answer = run("causal", option)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""), option)
            self.assertIn("goes with --diagnose", answer.stderr)


if __name__ == "__main__":
    unittest.main()
