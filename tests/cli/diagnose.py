"""diagnose as a person uses it: pasted text, the answers, and the exit codes. Argument: the program."""

import json
import math
import os
import random
import re
import struct
import tempfile
import unittest
import zipfile

from program import run
from tensor_files import npy

WEIGHTS = """tensor([[0.1921, 0.1646, 0.1652, 0.1550, 0.1721, 0.1510],
        [0.2041, 0.1659, 0.1662, 0.1496, 0.1665, 0.1477],
        [0.2036, 0.1659, 0.1662, 0.1498, 0.1664, 0.1480],
        [0.1869, 0.1667, 0.1668, 0.1571, 0.1661, 0.1564],
        [0.1830, 0.1669, 0.1670, 0.1588, 0.1658, 0.1585],
        [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529]],
       grad_fn=<SoftmaxBackward0>)
"""
# Exercise 3.2 in its public answer: softmax over the queries.
WRONG_AXIS = """tensor([[[-9.1476e-02,  3.4164e-02],
         [-2.6796e-01, -1.3427e-03],
         [-4.8421e-01, -4.8909e-02],
         [-6.4808e-01, -1.0625e-01],
         [-8.8380e-01, -1.7140e-01],
         [-1.4744e+00, -3.4327e-01]]], grad_fn=<CatBackward0>)"""


def npy_of(rows):
    """Returns the bytes of a .npy file of float32."""
    numbers = sum(rows, [])
    return npy(f"({len(rows)}, {len(rows[0])})", struct.pack(f"<{len(numbers)}f", *numbers))


class Diagnose(unittest.TestCase):
    def diagnosed(self, text, *options):
        answer = run("diagnose", "-", "--json", "-", *options, stdin=text)
        self.assertIn(answer.returncode, (0, 1), answer.stderr)
        report = json.loads(answer.stdout)
        self.assertEqual((report["format"], report["version"]), ("attn-walkthrough/diagnosis", 1))
        for tensor in report["tensors"]:
            for match in tensor["matches"]:
                self.assertEqual(
                    set(match),
                    {
                        "stage",
                        "step",
                        "piece",
                        "precision",
                        "mistakes",
                        "parameters",
                        "document",
                        "erratum",
                        "bits",
                        "max_abs_diff",
                        "line",
                        "instead_of",
                    },
                )
        return answer.returncode, report["tensors"]

    def step(self, *options):
        answer = run("causal", "--quiet", "--step", *options)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def test_a_right_table_is_named(self):
        code, (tensor,) = self.diagnosed(WEIGHTS)
        self.assertEqual((code, tensor["shape"], tensor["nearest"]), (0, [6, 6], None))
        self.assertEqual(
            [(m["stage"], m["step"], m["mistakes"]) for m in tensor["matches"][:2]],
            [("linear", "attn_weights", []), ("causal", "attn_weights", [])],
        )
        answer = run("diagnose", "-", stdin=WEIGHTS)
        self.assertEqual(
            answer.stdout,
            "line 1, shape (6, 6): right\nThis is attn_weights of linear.\n"
            "These are also the numbers of attn_weights of causal.\n",
        )

    def test_a_label_names_the_step_that_the_answer_is_about(self):
        def said(label, step, *options, stage="linear"):
            numbers = run(stage, "--quiet", "--step", step).stdout
            answer = run("diagnose", "-", stage, *options, stdin=label + numbers)
            return answer.returncode, answer.stdout.split("\n", 1)[1]

        for label in ("keys = ", "keys:\n", ">>> print(keys)\n", "self.keys = "):
            code, answer = said(label, "queries")
            self.assertEqual(
                (code, answer[:56]), (1, "These are queries of linear, not keys. Was W_query used?"), label
            ) if "self" not in label else self.assertEqual(code, 1)
            self.assertEqual(said(label, "keys")[0], 0, label)
        self.assertIn("These are W_value of linear, not W_query.", said("W_query.weight = ", "W_value")[1])
        self.assertIn(
            "These are attn_scores of linear, not attn_weights.", said("attn_weights = ", "attn_scores")[1]
        )
        self.assertEqual(said("attn_weights_causal = ", "attn_weights", stage="causal")[0], 1)
        self.assertEqual(said("masked_simple_norm = ", "masked_simple", stage="causal")[0], 1)
        # The book gives the weights this name both before and after the mask.
        self.assertEqual(said("attn_weights = ", "attn_weights_causal", stage="causal")[0], 0)
        self.assertEqual(said("attn_scores = ", "masked", stage="causal")[0], 0)
        code, answer = said("", "queries", "--as", "keys")
        self.assertEqual(
            (code, answer.split("\n")[0]), (1, "These are queries of linear, not keys. Was W_query used?")
        )
        row = run("linear", "--quiet", "--step", "queries", "--rows", "2:3").stdout
        self.assertEqual(run("diagnose", "-", "linear", stdin="query_3 = " + row).returncode, 0)

    def test_a_mistake_is_recognised_although_its_sums_are_rounded_otherwise(self):
        (stage,) = json.loads(run("causal-self-attention", "--heads=4", "--json=-").stdout)["stages"]
        (values,) = (step["data"] for step in stage["steps"] if step["name"] == "context_vec")
        moved = [[[x * (1 + 1e-6 * (-1) ** i) for i, x in enumerate(row)] for row in rows] for rows in values]
        code, (tensor,) = self.diagnosed(json.dumps(moved), "causal-self-attention")
        match = tensor["matches"][0]
        self.assertEqual((code, match["mistakes"], match["precision"]), (1, ["other-heads"], "float32"))

    def test_gradients_without_dropout_are_right(self):
        pasted = run("causal", "--backward", "--dropout=0", "--quiet", "--step=W_query_grad").stdout
        answer = run("diagnose", "-", "causal", "--backward", stdin=pasted)
        self.assertEqual((answer.returncode, "right" in answer.stdout), (0, True), answer.stdout)

    def test_dropout_that_is_not_applied_is_named(self):
        pasted = run("multi-head", "--quiet", "--step=context_vec").stdout
        code, (tensor,) = self.diagnosed(pasted, "multi-head", "--dropout=0.5")
        self.assertEqual((code, tensor["matches"][0]["mistakes"]), (1, ["dropout-left-out"]))

    def test_one_wrong_number_among_larger_ones_is_not_rounding(self):
        table = run("scaling", "--quiet", "--step", "score_sizes", "--precision", "6").stdout
        self.assertIn("0.636994", table)
        answer = run("diagnose", "-", "scaling", stdin=table.replace("0.636994", "0.666994"))
        self.assertEqual((answer.returncode, "mistyped" in answer.stdout), (1, True), answer.stdout)

    def test_rounding_is_right_and_few_digits_decide_nothing(self):
        def verdict(text, *options):
            answer = run("diagnose", "-", "causal", *options, stdin=text)
            return answer.returncode, answer.stdout.split("\n")[0].split(": ")[1]

        values = {
            step["name"]: step["data"]
            for step in json.loads(run("causal", "--json=-").stdout)["stages"][0]["steps"]
        }
        self.assertEqual(verdict(WEIGHTS.replace("0.1921", "0.1922")), (0, "right up to rounding"))
        moved = [[x * (1 + 3e-6 * (-1) ** i) for i, x in enumerate(row)] for row in values["queries"]]
        self.assertEqual(verdict(json.dumps(moved)), (0, "right up to rounding"))
        halves = [[struct.unpack("e", struct.pack("e", x))[0] for x in row] for row in values["queries"]]
        _, (tensor,) = self.diagnosed(json.dumps(halves), "causal")
        self.assertEqual(tensor["matches"][0]["precision"], "float16")
        self.assertEqual(verdict(json.dumps(halves).replace("-", "", 1))[0], 1)
        rounded = [
            [struct.unpack("f", struct.pack("f", round(x, 2)))[0] for x in row] for row in values["queries"]
        ]
        self.assertEqual(verdict(json.dumps(rounded))[0], 0)
        few = json.dumps([[round(x, 1) for x in row] for row in values["context_vec"]])
        self.assertEqual(verdict(few), (1, "cannot tell"))

    def test_equal_tensors_are_answered_once(self):
        self.assertEqual(len(self.diagnosed("\n".join(["[[-0.5, 0.5]]"] * 1000))[1]), 1000)

    def test_the_search_for_many_different_tensors_ends_and_finds_the_right_one(self):
        rng = random.Random(3)
        for options, count in ((["all", "--backward"], 60), (["causal"], 3)):
            other = [
                [[round(rng.uniform(-1, 1), 4) for _ in range(3)] for _ in range(4)] for _ in range(count)
            ]
            text = "\n\n".join(f"t{i} = {rows}" for i, rows in enumerate(other)) + "\n\n" + WEIGHTS
            code, (*unknown, right) = self.diagnosed(text, *options)
            self.assertEqual((code, len(unknown), right["matches"][0]["step"]), (1, count, "attn_weights"))
            self.assertEqual([tensor["matches"] for tensor in unknown], [[]] * count)
            if "all" in options:
                self.assertTrue(all("pairs" in tensor["not_tried"] for tensor in unknown))

    def test_every_printed_step_of_a_stage_is_recognised(self):
        for stage in ("causal", "multi-head", "simplified"):
            printed = run(stage).stdout
            code, tensors = self.diagnosed(printed, stage)
            wrong = [tensor["matches"][0]["step"] for tensor in tensors if tensor["matches"][0]["mistakes"]]
            self.assertEqual((code, wrong), (1, ["queries_view_only"]) if stage == "multi-head" else (0, []))
            self.assertGreater(len(tensors), 9)

    def test_gradients_without_dropout(self):
        gradient = self.step("keys_grad", "--backward", "--dropout", "0", "--precision", "6")
        named = "keys.grad:\n" + gradient
        code, (tensor,) = self.diagnosed(named, "--stage", "causal", "--dropout", "0", "--backward")
        self.assertEqual(
            (code, tensor["matches"][0]["step"], tensor["matches"][0]["mistakes"]), (0, "keys_grad", [])
        )
        for options in ((), ("--stage", "causal")):
            code, (tensor,) = self.diagnosed(named, *options)
            match = tensor["matches"][0]
            self.assertEqual(
                (match["stage"], match["step"], match["mistakes"], match["parameters"]["dropout"]),
                ("causal", "keys_grad", [], 0),
            )
        code, _ = self.diagnosed(
            "[[0.1921, 0.1646], [0.2, 0.3]]", "--stage", "causal", "--dropout", "0", "--backward"
        )
        self.assertEqual(code, 1)

    def test_gradients_are_looked_for_where_one_is_named_so(self):
        printed = run("causal", "--backward", "--precision=8").stdout
        pasted = printed[printed.index(">>> print(keys.grad)") :]
        pasted = pasted[: pasted.index("\n\n")]
        code, (tensor,) = self.diagnosed(pasted, "causal")
        self.assertEqual(
            (code, tensor["matches"][0]["step"], tensor["matches"][0]["parameters"]["backward"]),
            (0, "keys_grad", True),
        )
        self.assertIn(
            "This is keys_grad of causal with --backward", run("causal", "diagnose", "-", stdin=pasted).stdout
        )
        twice = re.sub(r"-?\d+\.\d+", lambda number: f"{2 * float(number[0]):.4f}", pasted)
        code, (tensor,) = self.diagnosed(twice, "causal")
        self.assertEqual((code, tensor["matches"][0]["mistakes"]), (1, ["gradient-not-zeroed"]))

    def test_other_parameters(self):
        printed = self.step("attn_weights_causal", "--seed=123")
        code, (tensor,) = self.diagnosed(printed, "causal", "--seed=789")
        self.assertEqual(
            (code, tensor["matches"][0]["mistakes"], tensor["matches"][0]["parameters"]["seed"]),
            (1, ["other-seed"], 123),
        )
        self.assertIn("torch.manual_seed(123)", tensor["matches"][0]["line"])
        code, (tensor,) = self.diagnosed(printed, "causal", "--seed=123")
        self.assertEqual(code, 0)
        code, (tensor,) = self.diagnosed(self.step("context_vec", "--d-out=4"), "causal")
        self.assertEqual((code, tensor["matches"][0]["parameters"]["d_out"]), (1, 4))
        code, (tensor,) = self.diagnosed(self.step("queries", "--qkv-bias"), "causal")
        self.assertEqual((code, tensor["matches"][0]["parameters"]["qkv_bias"]), (1, True))
        answer = run("diagnose", "-", "causal", stdin=self.step("queries", "--qkv-bias"))
        self.assertIn(
            "right, but with a different parameter\n"
            "These are the numbers for qkv_bias=True; causal uses False.\n"
            "This is queries of causal with --qkv-bias.\n",
            answer.stdout,
        )
        code, _ = self.diagnosed(self.step("queries", "--qkv-bias"), "causal", "--qkv-bias")
        self.assertEqual(code, 0)

    def test_what_a_document_prints_is_right(self):
        for options, document in ((["--seed=123"], "004"), (["--dropout-rng=mkl"], "002"), ([], "000")):
            code, (tensor,) = self.diagnosed(self.step("attn_weights_dropped", *options), "causal")
            self.assertEqual(
                (code, tensor["matches"][0]["mistakes"], tensor["matches"][0]["document"]), (0, [], document)
            )
        code, (tensor,) = self.diagnosed(
            self.step("attn_weights_dropped", "--seed=124", "--dropout-seed=7"),
            "causal",
            "--seed=124",
            "--dropout-seed=7",
        )
        self.assertEqual((code, tensor["matches"][0]["document"]), (0, None))
        self.assertIn(
            "with --seed 123, as document 004 prints it.",
            run(
                "causal", "diagnose", "-", stdin=self.step("attn_weights_causal", "--seed=123")
            ).stdout.replace("\n", " "),
        )

    def test_either_generator_of_dropout_masks_is_right_unless_one_is_asked_for(self):
        printed = self.step("attn_weights_dropped", "--dropout=0.2", "--dropout-rng=mkl")
        code, (tensor,) = self.diagnosed(printed, "causal", "--dropout=0.2")
        self.assertEqual(
            (code, tensor["matches"][0]["mistakes"], tensor["matches"][0]["parameters"]["dropout_rng"]),
            (0, [], "mkl"),
        )
        code, (tensor,) = self.diagnosed(printed, "causal", "--dropout=0.2", "--dropout-rng=mt19937")
        self.assertEqual((code, tensor["matches"][0]["mistakes"]), (1, ["dropout-other-rng"]))

    def test_pieces_are_said_as_python_indexes_them(self):
        rows = [[float(x) for x in line.strip(" tensor([]),").split(",")] for line in WEIGHTS.split("\n")[:6]]
        for piece, numbers in (
            ("", rows),
            ("[2]", rows[2]),
            ("[1:4]", rows[1:4]),
            ("[:, 1]", [row[1] for row in rows]),
            ("[2:4, 1:3]", [row[1:3] for row in rows[2:4]]),
            (".flatten()", sum(rows, [])),
            ("[3, 2:5]", rows[3][2:5]),
            ("[None]", [rows]),
        ):
            code, (tensor,) = self.diagnosed(json.dumps(numbers), "linear")
            self.assertEqual(
                (code, tensor["matches"][0]["step"], tensor["matches"][0]["piece"]),
                (0, "attn_weights", piece),
            )
        printed = run("linear", "--quiet", "--json=-").stdout
        values = {step["name"]: step["data"] for step in json.loads(printed)["stages"][0]["steps"]}
        turned = [list(column) for column in zip(*values["values"])]
        for piece, numbers in ((".T", turned), ("[:, 1]", turned[1])):
            code, (tensor,) = self.diagnosed(json.dumps(numbers), "linear")
            self.assertEqual(
                (code, tensor["matches"][0]["step"], tensor["matches"][0]["piece"]), (0, "values", piece)
            )
        batch = json.loads(run("multi-head", "--json=-").stdout)["stages"][0]["steps"]
        weights = next(step["data"] for step in batch if step["name"] == "attn_weights")
        for piece, numbers in (
            ("[1]", weights[1]),
            ("[1, 0]", weights[1][0]),
            ("[1, 1, 2]", weights[1][1][2]),
            ("[0, 1, 2:4]", weights[0][1][2:4]),
        ):
            _, (tensor,) = self.diagnosed(json.dumps(numbers), "multi-head")
            self.assertIn(
                ("attn_weights", piece.replace("[1", "[0", 1)),
                [(match["step"], match["piece"]) for match in tensor["matches"]],
            )  # both entries of the batch are the same

    def test_stages_that_the_parameters_do_not_fit_are_left_out(self):
        code, (tensor,) = self.diagnosed(WEIGHTS, "--d-out=2")
        self.assertEqual((code, tensor["matches"][0]["step"]), (0, "attn_weights"))
        answer = run("causal-self-attention", "diagnose", "-", "--d-out=2", stdin=WEIGHTS)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn("8 heads do not divide", answer.stderr)

    def test_heads_and_weights_of_ones_own(self):
        printed = run("multi-head", "--quiet", "--step=context_vec", "--d-out=4").stdout
        for given, found in (
            ([], False),
            (["--d-out=4"], True),
            (["--heads=1"], False),
            (["--batch=3"], False),
            (["--batch=3", "--d-out=4"], True),
        ):
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
            self.assertNotIn(
                "trainable", {match["stage"] for match in tensor["matches"]}
            )  # trainable has a different layout
            self.assertEqual(self.diagnosed(printed)[0], 1)  # no seed gives these numbers
            code, _ = self.diagnosed(printed, "causal", f"--weights={weights}")
            self.assertEqual(code, 0)
            with open(weights, "w") as file:
                json.dump({"another": rows}, file)
            answer = run("diagnose", "-", f"--weights={weights}", stdin=printed)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn(
                "--weights: these weights match no stage; name a stage to see what it needs.", answer.stderr
            )

    def test_a_seed_is_searched_for(self):
        for seed in (4711, 10000):  # the last seed that is searched
            printed = self.step("attn_weights_causal", f"--seed={seed}")
            code, (tensor,) = self.diagnosed(printed, "causal")
            self.assertEqual((code, tensor["matches"]), (1, []))
            code, (tensor,) = self.diagnosed(printed, "causal", "--search-seeds")
            self.assertEqual((code, tensor["matches"][0]["parameters"]["seed"]), (1, seed))

    def test_several_tensors_and_the_worst_decides(self):
        code, tensors = self.diagnosed(WEIGHTS + "\nsome prose\n\nx = tensor([[1., 2.], [3., 4.]])\n")
        self.assertEqual((code, len(tensors), tensors[1]["name"]), (1, 2, "x"))
        # The nearest step of the first tensor is a bias, which the usual walk does not have.
        code, tensors = self.diagnosed(
            "x = tensor([0.4058, 0.2500])\n\ntensor([[9., 8.], [7., 6.]])", "causal"
        )
        self.assertEqual((code, tensors[0]["nearest"]["step"], tensors[1]["nearest"]), (1, "b_query", None))

    def test_what_nothing_explains_has_a_nearest_step(self):
        wrong = WEIGHTS.replace("0.1496", "0.1596").replace("0.1571", "0.1671")
        code, (tensor,) = self.diagnosed(wrong, "causal")
        self.assertEqual((code, tensor["matches"]), (1, []))
        nearest = tensor["nearest"]
        self.assertEqual(
            (nearest["step"], nearest["numbers_agreeing"], nearest["first_difference"]),
            ("attn_weights", 34, [1, 3]),
        )
        self.assertIn(
            "The first number that differs is [1][3]: yours is 0.1596",
            run("causal", "diagnose", "-", stdin=wrong).stdout,
        )

    def test_a_single_number_that_is_another_one(self):
        for wrong in ("0.1596", "0.1946", "-0.1496"):
            code, (tensor,) = self.diagnosed(WEIGHTS.replace("0.1496", wrong), "causal")
            match = tensor["matches"][0]
            self.assertEqual(
                (code, match["mistakes"], match["line"], match["instead_of"]),
                (1, ["mistyped"], f"attn_weights[1][3] = {wrong}", "attn_weights[1][3] = 0.1496"),
            )
        rows = [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.58, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lesson.json")
            with open(path, "w") as file:
                json.dump({"tokens": list("abcdef"), "embeddings": rows}, file)
            printed = self.step("context_vec", f"--input={path}")
        code, (tensor,) = self.diagnosed(printed, "causal")
        match = tensor["matches"][0]
        self.assertEqual(
            (code, match["mistakes"], match["line"], match["instead_of"]),
            (1, ["other-input"], "inputs[2][1] = 0.58", "inputs[2][1] = 0.85"),
        )
        # With two decimals, many numbers would nearly match.
        code, (tensor,) = self.diagnosed(
            re.sub(r"-?\d\.\d+", lambda number: f"{float(number[0]):.2f}", printed), "causal"
        )
        self.assertRegex(tensor["matches"][0]["line"], r"inputs\[2\]\[1\] = 0\.5\d?$")

    def test_a_digit_of_a_block_is_mistyped(self):
        scores = json.loads(run("causal", "--json", "-", "--step", "attn_scores").stdout)["stages"][0][
            "steps"
        ][0]["data"]
        block = [[f"{x:.4f}" for x in row[2:5]] for row in scores[1:4]]
        right = block[1][1]
        block[1][1] = right[:-2] + str((int(right[-2]) + 4) % 10) + right[-1]
        code, (tensor,) = self.diagnosed("\n".join(" ".join(row) for row in block), "causal")
        match = tensor["matches"][0]
        self.assertEqual(
            (code, match["mistakes"], match["piece"], match["instead_of"]),
            (1, ["mistyped"], "[1:4, 2:5]", f"attn_scores[2][3] = {right}"),
        )

    def test_what_cannot_be_read(self):
        for text, message in (
            ("", "is empty"),
            ("prose alone", "no tensor"),
            ("tensor([[1., 2.], [3.]])", "standard input:1:19: "),
            ("tensor([[1., 2.],\n", "standard input:"),
        ):
            answer = run("diagnose", "-", stdin=text)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""), text)
            self.assertIn(message, answer.stderr)
        for arguments, message in (
            (["--as", "attn_weigths"], 'Did you mean "attn_weights"?'),
            (["compare"], '"compare" is a second command; give one at a time.'),
            (["--out", "x.html"], "--out: diagnose has no such option; walk does."),
        ):
            answer = run("diagnose", "-", *arguments, stdin=WEIGHTS)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""), arguments)
            self.assertIn(message, answer.stderr)

    def test_saved_arrays_are_read_under_their_own_names(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "run.npz")
            self.assertEqual(run("causal", "--quiet", f"--out={saved}").returncode, 0)
            answer = run("diagnose", f"{saved}", "--json=-")
            report = json.loads(answer.stdout)
            self.assertEqual((answer.returncode, report["skipped"], len(report["tensors"])), (0, [], 20))
            for tensor in report["tensors"]:
                match = tensor["matches"][0]
                self.assertEqual((tensor["name"], match["mistakes"]), (f"causal.{match['step']}", []))
            with zipfile.ZipFile(saved) as archive:
                array = archive.read("causal.masked.npy")
            with zipfile.ZipFile(saved, "a") as archive:
                archive.writestr("words.npy", array.replace(b"'<f4'", b"'<U4'"))
            report = json.loads(run("diagnose", f"{saved}", "--json=-").stdout)
            self.assertEqual(len(report["tensors"]), 20)
            self.assertIn('contains numbers of type "<U4"', report["skipped"][0])
            self.assertIn("Not read: ", run("diagnose", f"{saved}").stdout)
            for name, content in (
                ("alone.npy", array),
                (
                    "whole.npy",
                    array[:128].replace(b"'<f4'", b"'<i8'")
                    + struct.pack("<36q", *[int(j <= i) for i in range(6) for j in range(6)]),
                ),
            ):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
                answer = run("diagnose", f"{folder}/{name}", "--json=-")
                self.assertEqual(
                    (answer.returncode, json.loads(answer.stdout)["tensors"][0]["shape"]), (0, [6, 6]), name
                )

    def test_names_that_differ_only_in_invisible_characters_are_each_found(self):
        steps = {
            step["name"]: step["data"]
            for step in json.loads(run("linear", "--json=-").stdout)["stages"][0]["steps"]
        }
        names = {"keys": "keys", "keys\u200b": "queries", "\u2066keys": "values"}
        with tempfile.TemporaryDirectory() as folder:
            with zipfile.ZipFile(os.path.join(folder, "run.npz"), "w") as archive:
                for name, step in names.items():
                    archive.writestr(f"{name}.npy", npy_of(steps[step]))
            report = json.loads(run("diagnose", "linear", f"{folder}/run.npz", "--json=-").stdout)
        self.assertEqual(
            {tensor["name"]: tensor["matches"][0]["step"] for tensor in report["tensors"]}, names
        )

    def test_the_published_answer_to_an_exercise_is_known_with_its_error(self):
        for text in (WRONG_AXIS, "-0.0915 0.0342", "[-0.0915, 0.0342]", "| -0.0915 | 0.0342 |"):
            code, (tensor,) = self.diagnosed(text)
            match = tensor["matches"][0]
            self.assertEqual(
                (code, match["stage"], match["mistakes"], match["erratum"]),
                (1, "multi-head-wrapper", ["softmax-wrong-axis"], "exercise-3.2"),
                text,
            )
        said = run("diagnose", "-", stdin=WRONG_AXIS).stdout.replace("\n", " ")
        self.assertIn(
            "Erratum: the book's public answers give an answer to exercise 3.2 that starts with -0.0915, "
            "0.0342.",
            said,
        )
        self.assertIn("-0.5740 0.2216, -0.7320 0.0155", said)
        self.assertIn("勘误", run("diagnose", "-", "--lang=zh", stdin=WRONG_AXIS).stdout)
        right = run("multi-head-wrapper", "--d-out=1", "--quiet", "--step=context_vec").stdout
        code, (tensor,) = self.diagnosed(right)
        self.assertEqual(
            (code, tensor["matches"][0]["mistakes"], tensor["matches"][0]["erratum"]), (0, [], None)
        )

    def test_a_broken_number_of_a_document_is_right_and_told(self):
        printed = self.step("attn_weights_dropped")
        broken = printed.replace("2.0000, 0.0000, 0.0000", "2.0000, 0.0000, 0 .0000")
        self.assertNotEqual(broken, printed)
        answer = run("diagnose", "-", stdin=broken)
        self.assertEqual(answer.returncode, 0)
        self.assertIn('Erratum: document 000 prints one number as "0 .0000"', answer.stdout)
        self.assertNotIn("Erratum", run("diagnose", "-", stdin=printed).stdout)

    def test_of_a_wrong_run_the_first_step_that_differs_is_named_and_what_follows_from_it(self):
        def steps(*options):
            return {
                step["name"]: step["data"]
                for step in json.loads(run("causal", "--json=-", *options).stdout)["stages"][0]["steps"]
            }

        right = steps()
        swapped = [list(row) for row in zip(*right["attn_scores"])]  # keys @ queries.T
        weights = []
        for i, row in enumerate(swapped):
            exponentials = [math.exp(x / 2**0.5) if j <= i else 0.0 for j, x in enumerate(row)]
            weights.append([x / sum(exponentials) for x in exponentials])
        context = [[sum(w * v[k] for w, v in zip(row, right["values"])) for k in range(2)] for row in weights]
        arrays = {
            "context": context,
            "keys": right["keys"],
            "queries": right["queries"],
            "scores": swapped,
            "values": right["values"],
            "weights": weights,
        }
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.npz")
            with zipfile.ZipFile(path, "w") as archive:
                for name, numbers in arrays.items():
                    archive.writestr(f"{name}.npy", npy_of(numbers))
            code, tensors = (
                run("diagnose", f"{path}", "--json=-").returncode,
                json.loads(run("diagnose", f"{path}", "--json=-").stdout)["tensors"],
            )
            said = run("diagnose", f"{path}").stdout
        by_name = {tensor["name"]: tensor for tensor in tensors}
        self.assertEqual(code, 1)
        # Queries and keys are right, so the order of drawing is not the cause.
        self.assertEqual(by_name["scores"]["matches"][0]["mistakes"], ["queries-keys-swapped"])
        self.assertEqual(
            [by_name[name]["inherits"] for name in ("scores", "weights", "context", "keys")],
            [None, "attn_scores", "attn_scores", None],
        )
        self.assertTrue(
            said.startswith(
                "scores, shape (6, 6): a mistake, and the first step that differs\n"
                "    yours  attn_scores = keys @ queries.T\n    right  attn_scores = queries @ keys.T\n"
            ),
            said,
        )
        self.assertIn(
            "\n\ncontext, shape (6, 2): follows from attn_scores\n"
            "weights, shape (6, 6): follows from attn_scores\nkeys, shape (6, 2): right, keys of ",
            said,
        )

    def test_what_the_digits_do_not_decide_is_not_called_right_unless_others_are(self):
        first = "[1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000]"
        answer = run("causal", "diagnose", "-", stdin=first)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("cannot tell\n", answer.stdout)
        code, tensors = self.diagnosed(f"first = {first}\n\n" + self.step("values"), "causal")
        self.assertEqual((code, len(tensors)), (0, 2))

    def test_why_something_was_not_read_is_told_in_chinese_too(self):
        cut = WRONG_AXIS + "\ntensor([[0.1, 0.2],\n        [0.3"
        answer = json.loads(run("diagnose", "-", "--lang=zh", "--json=-", stdin=cut).stdout)
        self.assertRegex(answer["skipped"][0], "^第 \\d+ 行：")
        self.assertRegex(
            run("diagnose", "-", "--lang=zh", stdin=cut).stdout, "未读取：第 \\d+ 行：文本在张量中间结束，还差 2 个括号；它被截断了。"
        )

    def test_a_longer_search_is_offered_by_name(self):
        wrong = WEIGHTS.replace("0.1496", "0.1596").replace("0.1571", "0.1671")
        self.assertIn(
            "--search-seeds tries all seeds up to 10000.", run("causal", "diagnose", "-", stdin=wrong).stdout
        )
        self.assertNotIn("--search-seeds", run("causal", "diagnose", "-", stdin=WEIGHTS).stdout)
        self.assertNotIn(
            "--search-seeds", run("causal", "diagnose", "-", "--search-seeds", stdin=wrong).stdout
        )

    def test_what_is_no_text_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for content, message in (
                (b"\x89PNG\r\n\x1a\n" + bytes(100), "is a picture (PNG); paste what PyTorch prints"),
                (b"\x80\x02}q\x00.", "a pickle, which is never read"),
                (b"%PDF-1.7\n\xff", "is a PDF"),
                (bytes(5000), "binary file, expected text"),
                (b"", "is empty"),
                (b"PK\x05\x06" + bytes(18), "a ZIP file without a .npy in it. PyTorch's .pt"),
                (b"[" * 10000 + b"1.0" + b"]" * 10000, "brackets nested more than 4 deep"),
                (
                    b"0.25 " * 1_000_000,
                    "more than 500000 numbers, the limit for text; save them with np.save.",
                ),
                (b"0.25 0.5\n" * 500_000, "more than 500000 numbers"),
                (
                    struct.pack("<Q", 65)
                    + b'{"a":{"dtype":"F32","shape":[3,3],"data_offsets":[0,36]}}        '
                    + bytes(20),
                    "in the 20 bytes that follow the header",
                ),
                (b"words alone\n" * 4_000_000, "no tensor found"),
                (bytes(range(256)) * 20, "binary file, expected text"),
            ):
                with open(os.path.join(folder, "file"), "wb") as file:
                    file.write(content)
                answer = run("diagnose", f"{folder}/file")
                self.assertEqual((answer.returncode, answer.stdout), (2, ""))
                self.assertIn(message, answer.stderr)
                self.assertNotIn("UTF-8", answer.stderr)


if __name__ == "__main__":
    unittest.main()
