"""The program as a person runs it: what it prints, what it refuses, and its exit codes. Argument: the program."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)

REFERENCES = pathlib.Path(__file__).parent.parent / "data" / "references"
LESSON = {"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}


def run(*arguments, stdin=""):
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True)


class Refusals(unittest.TestCase):
    """Each ends with exit code 2, one message on standard error, and nothing on standard output."""

    def refuses(self, *arguments, message, stdin=""):
        answer = run(*arguments, stdin=stdin)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""), arguments)
        self.assertTrue(answer.stderr.startswith("attn-walkthrough: "), answer.stderr)
        self.assertIn(message, answer.stderr)
        self.assertNotIn("internal error", answer.stderr)

    def test_names_that_do_not_exist(self):
        self.refuses("causl", message='there is no stage "causl". Did you mean "causal"?')
        self.refuses("--stage", "nonsense", message="The stages are: ")
        self.refuses("causal", "--sed", "5", message='there is no option "--sed". Did you mean "--seed"?')
        self.refuses("causal", "--sed=5", message='there is no option "--sed". Did you mean "--seed"?')
        self.refuses("causal", "-x", message='there is no option "-x".')
        self.refuses("causal", "--step", "mask_simpl", message='Did you mean "mask_simple"?')

    def test_numbers_that_are_none(self):
        seed = "--seed: expected a whole number from 0 to 18446744073709551615 but received"
        self.refuses("causal", "--seed", "-1", message=f'{seed} "-1"')
        for text in ("-1", "1e3", "0x10", "18446744073709551616", " 5", "5 ", "+5", "1.0", "nan", "٣"):
            self.refuses("causal", f"--seed={text}", message=seed)
        for text in ("nan", "1.5", "-0.1", "inf", "0,5", "0.5x", "0x1p-1", "1e400"):
            self.refuses("causal", f"--dropout={text}", message="--dropout: expected a probability from 0 to 1")
        for text in ("0", "-1", "1e3", "1000000001", "99999999999999999999"):
            self.refuses("causal", f"--d-out={text}", message="--d-out: expected a whole number from 1 to 1000000000")
        for text in ("-1", "21", "x"):
            self.refuses("causal", f"--precision={text}", message="--precision: expected a whole number")
        self.refuses("causal", "--dropout-rng", "mlk", message="--dropout-rng: expected mt19937 or mkl")

    def test_options_that_say_two_things_or_nothing(self):
        self.refuses("causal", "--seed", "1", "--seed", "2", message="--seed: given 2 times; once is enough.")
        self.refuses("causal", "--quiet", "--quiet", message="--quiet: given 2 times")
        for arguments in (["--seed"], ["--seed="], ["--seed", "--quiet"], ["--json", "--quiet"], ["--step"]):
            self.refuses("causal", *arguments, message=f"{arguments[0].strip('=')}: a value is missing")
        self.refuses("causal", "--qkv-bias=false", message="--qkv-bias: takes no value.")
        self.refuses("--seed", "1", message="no stage chosen")
        self.refuses("causal", "--heads", "2", message="--heads: n")

    def test_heads_that_do_not_divide_the_width(self):
        message = "--heads: 7 heads do not divide d_model, which is 512, into equal parts."
        self.refuses("causal-self-attention", "--heads", "7", message=message)

    def test_widths_too_large_to_hold(self):
        self.refuses("causal", "--d-out", "1000000000", message="too large")

    def test_lessons_that_are_none(self):
        cases = {
            "[1, 2]": "",
            "{": "<",
            "": "empty",
            '{"tokens": ["a"], "embeddings": [[]]}': "/embeddings",
            '{"tokens": [], "embeddings": []}': "",
            '{"tokens": ["a", "b"], "embeddings": [[1, 2], [3]]}': "/embeddings/1",
            '{"tokens": ["a"], "embeddings": [["1", 2]]}': "/embeddings/0/0",
            '{"tokens": ["a"], "embeddings": [[true, 2]]}': "/embeddings/0/0",
            '{"tokens": ["a"], "embeddings": [[1e39]]}': "/embeddings/0/0",
            '{"tokens": ["a"], "embeddings": [[1], [2]]}': "",
            '{"tokens": ["a"]}': "embeddings",
            '{"tokens": ["a"], "embedings": [[1]]}': 'Did you mean "embeddings"?',
        }
        for text, message in cases.items():
            self.refuses("causal", "--input", "-", stdin=text, message=message.replace("<", "standard input"))
        self.refuses("causal", "--input", "/no/such/file", message="/no/such/file")
        self.refuses("causal", "--input", "/", message="/")

    def test_weights_that_do_not_fit(self):
        eye = [[1, 0], [0, 1], [1, 1]]
        right = {f"W_{name}.weight": eye for name in ("query", "key", "value")}
        cases = [
            ({**right, "W_query.weight": [[1, 0, 1], [0, 1, 1]]}, "/W_query.weight: expected shape (3, 2) but received (2, 3); its transpose would fit"),
            ({**right, "W_key.weight": [[1, 2]]}, "/W_key.weight: expected shape (3, 2) but received (1, 2)"),
            ({k: v for k, v in right.items() if k != "W_value.weight"}, "there is no W_value.weight, which this stage needs with shape (3, 2)"),
            ({**right, "W_valeu.weight": eye}, '/W_valeu.weight: causal has no such weight. Did you mean "W_value.weight"?'),
            ({**right, "W_value.bias": [1, 2, 3]}, "/W_value.bias: causal has no such weight."),
            ({**right, "mask": [[0, 0], [1, 0]]}, "/mask: expected the mask of shape (2, 2) with ones above the diagonal"),
            ({**right, "mask": [[0]]}, "has no room for 2 tokens"),
            ({**right, "W_value.weight": [[1, "2"]]}, "/W_value.weight/0/1"),
            ({}, ""),
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "lesson.json")
            path.write_text(json.dumps(LESSON))
            for weights, message in cases:
                self.refuses("causal", "--input", str(path), "--weights", "-", stdin=json.dumps(weights), message=message)
            self.refuses("causal", "--seed=1", "--input", str(path), "--weights", "-", stdin="{}", message="give one of the two")
            for option in ("--d-out=4", "--qkv-bias"):
                self.refuses("causal", option, "--input", str(path), "--weights", "-", stdin=json.dumps(right), message="contradicts the weights")
            accepted = {**right, "mask": [[0, 1], [0, 0]]}
            answer = run("causal", "--d-out=3", "--input", str(path), "--weights", "-", "--quiet", "--step=queries", stdin=json.dumps(accepted))
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertIn("tensor([[1.5000, 2.0000, 3.5000],", answer.stdout)
        self.refuses("causal", "--input", "-", "--weights", "-", message="standard input")

    def test_output_that_cannot_be_written(self):
        self.refuses("causal", "--json", "/no/such/folder/x.json", message="/no/such/folder")
        for arguments in (["causal"], ["--help"], ["--version"], ["--list"], ["causal", "--json", "-"], ["causal", "--compare"]):
            with open("/dev/full", "w") as full:
                answer = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(answer.returncode, 2, arguments)
            self.assertIn("standard output", answer.stderr)

    def test_an_error_stays_one_without_a_place_to_say_it(self):
        for redirection in ("2>&-", "2>/dev/full", ">&- 2>&-"):
            answer = subprocess.run(["sh", "-c", f"'{PROGRAM}' causal --nonsense {redirection}"], capture_output=True)
            self.assertEqual(answer.returncode, 2, redirection)

    def test_no_control_character_reaches_the_terminal(self):
        answer = run("causal", "--step", "\x1b[2J\u202e")
        self.assertEqual(answer.returncode, 2)
        self.assertNotIn("\x1b", answer.stderr)
        self.assertNotIn("\u202e", answer.stderr)

    def test_heads_batches_and_contexts_that_do_not_fit(self):
        self.refuses("multi-head", "--heads", "3", "--d-out", "4", message="--heads: 3 heads do not divide d_out, which is 4")
        for stage in ("causal-batch", "multi-head-wrapper", "multi-head"):
            self.refuses(stage, "--context-length", "5", message="--context-length: a context of 5 has no room for 6 tokens.")
            self.refuses(stage, "--batch", "1001", message="--batch: expected a whole number from 1 to 1000 but received")
        self.refuses("multi-head", "--heads", "0", message="--heads: expected a whole number from 1 to 1000 but received")
        self.refuses("causal-batch", "--heads", "2", message="--heads: none of the chosen stages uses this option")

    def test_nothing_else_to_compare_with(self):
        self.refuses("causal", "--compare", "--step", "queries", message="the documents print no table of these steps")
        self.refuses("causal", "--compare", "--step", "masked", "--seed", "5", message="--seed 789 --d-out 2: 000 masked")
        for option in ("--seed=5", "--focus=step"):
            self.refuses("all", "--compare", option, message=f"leave {option.split('=')[0]} out")
        self.refuses("causal", "--compare", "--input", "-", stdin=json.dumps(LESSON), message="built-in sentence")


class Answers(unittest.TestCase):
    def test_help_version_and_list(self):
        self.assertIn("Examples:", run().stdout)
        self.assertIn("--dropout-rng mt19937|mkl", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"^attn-walkthrough \d+\.\d+\.\d+\n$")
        self.assertIn("causal", run("--list").stdout)

    def test_naming_a_stage_and_stage_say_the_same(self):
        self.assertEqual(run("causal").stdout, run("--stage", "causal").stdout)
        self.assertEqual(run("causal").stdout, run("causal", "--stage", "causal").stdout)

    def test_the_causal_stage_compares_with_the_documents(self):
        for options, tables in (([], 14), (["--seed", "123"], 5), (["--dropout-rng", "mkl"], 14)):
            answer = run("causal", "--compare", *options)
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertEqual(answer.stdout.count("digits agree"), tables, answer.stdout)

    def test_every_printed_table_is_compared(self):
        answer = run("--stage", "all", "--compare")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        printed = sum(len(json.loads(file.read_text())["tables"]) for file in REFERENCES.glob("*.json"))
        self.assertEqual((printed, len(answer.stdout.splitlines())), (51, 51), answer.stdout)

    def test_the_focus_names_the_steps(self):
        for option, number in ([], 2), (["--focus", "step"], 6), (["--focus", "0"], 1):
            self.assertEqual(run("simplified", "--quiet", "--step", f"context_vec_{number}", *option).returncode, 0)
        self.assertEqual(run("simplified", "--compare", "--focus", "step").returncode, 2)
    def test_the_stages_of_document_003_compare_with_it(self):
        for stage, compared in (("causal-self-attention", 5), ("numpy", 3)):
            answer = run(stage, "--compare")
            self.assertEqual((answer.returncode, answer.stderr, answer.stdout.count("agree")), (0, "", compared))
        self.assertEqual(run("causal-self-attention", "--compare", "--d-out=64").stdout.count("agree"), 1)

    def test_a_stage_that_draws_its_input_has_one_width(self):
        for options, width in (([], 512), (["--d-out=16"], 16)):
            (stage,) = json.loads(run("causal-self-attention", "--json=-", *options).stdout)["stages"]
            parameters = stage["parameters"]
            self.assertEqual((parameters["d_in"], parameters["d_out"], parameters["context_length"]), (width, width, 1024))
        eye = [[float(i == j) for j in range(6)] for i in range(6)]
        weights = {f"W_{name}.{kind}": eye if kind == "weight" else [0] * 6 for name in "qkvo" for kind in ("weight", "bias")}
        arguments = ["causal-self-attention", "--heads=3", "--weights=-", "--json=-"]
        (stage,) = json.loads(run(*arguments, stdin=json.dumps(weights)).stdout)["stages"]
        self.assertEqual((stage["parameters"]["d_in"], stage["parameters"]["d_out"]), (6, 6))
        steps = {step["name"]: step["data"] for step in stage["steps"]}
        self.assertEqual(steps["Q"][0][2][9], steps["x"][0][9][4:])  # the identity: a head's query is its columns of x
        self.assertEqual(steps["out"], steps["context_vec"])

    def test_a_stage_keeps_its_own_where_it_does_not_use_an_option(self):
        options = ("causal", "numpy", "--dropout=0.25", "--d-out=3")
        causal, numpy = json.loads(run(*options, "--json=-").stdout)["stages"]
        self.assertEqual((causal["parameters"]["dropout"], causal["parameters"]["d_out"]), (0.25, 3))
        self.assertEqual((numpy["parameters"]["dropout"], numpy["parameters"]["d_out"]), (0.0, 3))
        (alone,) = json.loads(run("numpy", "--d-out=3", "--json=-").stdout)["stages"]
        self.assertEqual(numpy, alone)
        long = json.loads(run("causal-batch", "numpy", "--context-length=9", "--json=-").stdout)["stages"]
        self.assertEqual([stage["parameters"]["context_length"] for stage in long], [9, 5])

    def test_an_array_is_shown_as_pytorch_shows_it(self):
        text = run("numpy").stdout
        self.assertIn(">>> import numpy as np\n>>> import torch\n", text)
        self.assertIn(">>> print(torch.from_numpy(np.float32(attn_weights)))", text)
        self.assertIn(f">>> np.random.seed({2**32 + 123} % 2**32)", run("numpy", f"--seed={2**32 + 123}").stdout)

    def test_every_parameter_of_the_stages_of_document_003_changes_something(self):
        for stage, options in (
            ("causal-self-attention", ("--seed=1", "--d-out=256", "--heads=4", "--batch=1")),
            ("numpy", ("--seed=1", "--d-out=3")),
        ):
            plain = run(stage, "--quiet").stdout
            for option in options:
                self.assertNotEqual(run(stage, "--quiet", option).stdout, plain, option)

    def test_leakage_moves_what_it_should(self):
        (stage,) = json.loads(run("leakage", "--json", "-").stdout)["stages"]
        steps = {step["name"]: step["data"] for step in stage["steps"]}
        self.assertTrue(all(0.07 < moved < 0.08 for moved in steps["unmasked_moved"]))
        self.assertEqual(steps["causal_moved"][:5], [0] * 5)
        self.assertTrue(2.5e-5 < min(steps["wrong_axis_moved"]) < 2.7e-5)
        self.assertEqual(steps["renormalised_stays"], [1, 1, 1, 1, 1, 0])
        self.assertEqual((steps["two_ways_agree"], steps["earlier_rows_stay"]), ([1] * 6, [1] * 6))
        plain = run("leakage", "--quiet").stdout
        for option in ("--seed=1", "--d-out=3", "--qkv-bias"):
            self.assertNotEqual(run("leakage", "--quiet", option).stdout, plain, option)
        alone = run("leakage", "--input=-", stdin='{"tokens": ["a"], "embeddings": [[0.9, 0.1]]}')
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))
        self.assertIn("[[0.1, 0.9]])", alone.stdout)

    def test_quiet_prints_nothing_but_tensors(self):
        text = run("causal", "--quiet", "--step", "mask_simple", "--step", "row_sums").stdout
        self.assertTrue(text.startswith("tensor([[1., 0., 0."), text)
        self.assertNotIn(">>>", text)
        self.assertEqual(text.count("tensor("), 2)

    def test_every_parameter_changes_something(self):
        plain = run("causal", "--quiet").stdout
        for option in ("--seed=1", "--d-out=3", "--qkv-bias", "--dropout=0.1", "--dropout-seed=1", "--dropout-rng=mkl", "--precision=2"):
            changed = run("causal", "--quiet", option)
            self.assertEqual(changed.returncode, 0, changed.stderr)
            self.assertNotEqual(changed.stdout, plain, option)
        self.assertNotEqual(run("causal", "--quiet", "--input", "-", stdin=json.dumps(LESSON)).stdout, plain)

    def test_every_parameter_of_the_stages_with_batches_and_heads_changes_something(self):
        plain = {"causal-batch": [], "multi-head-wrapper": ["--heads=3"], "multi-head": ["--d-out=4", "--heads=4"]}
        for stage, heads in plain.items():
            default = run(stage, "--quiet").stdout
            for option in (["--seed=1"], ["--d-out=6"], ["--qkv-bias"], ["--batch=3"], ["--dropout=0.5"], heads):
                changed = run(stage, "--quiet", *option)
                self.assertEqual((changed.returncode, changed.stderr), (0, ""))
                self.assertEqual(changed.stdout != default, bool(option), (stage, option))
            self.assertNotEqual(run(stage, "--context-length=8").stdout, run(stage).stdout)
            dropped = run(stage, "--quiet", "--dropout=0.5").stdout
            self.assertNotEqual(run(stage, "--quiet", "--dropout=0.1").stdout, dropped, stage)
            for option in ("--dropout-seed=1", "--dropout-rng=mkl"):
                self.assertNotEqual(run(stage, "--quiet", "--dropout=0.5", option).stdout, dropped, (stage, option))

    def test_a_longer_context_changes_no_context_vector(self):
        for stage in ("causal-batch", "multi-head-wrapper", "multi-head"):
            step = [stage, "--quiet", "--step", "context_vec"]
            self.assertEqual(run(*step, "--context-length=9").stdout, run(*step).stdout)

    def test_the_stages_with_batches_and_heads_compare_with_the_documents(self):
        for stage, digits, shapes in (("causal-batch", 0, 2), ("multi-head-wrapper", 1, 1), ("multi-head", 1, 1), ("head-split", 4, 0)):
            answer = run(stage, "--compare")
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertEqual(answer.stdout.count("digits agree"), digits, answer.stdout)
            self.assertEqual(len(answer.stdout.splitlines()), digits + shapes, answer.stdout)

    def test_shapes_and_strides_are_part_of_the_session(self):
        text = run("multi-head").stdout
        self.assertIn(">>> queries_heads.stride()\n(12, 1, 2, 1)\n", text)
        self.assertIn(">>> print(context_vec.shape)\ntorch.Size([2, 6, 2])\n", text)
        self.assertIn("head 1     0     1     2     3     4     5\n", text)
        self.assertNotIn(".stride()", run("causal").stdout)

    def test_the_json_export(self):
        trace = json.loads(run("causal", "--json", "-").stdout)
        self.assertEqual((trace["format"], trace["version"]), ("attn-walkthrough/trace", 1))
        self.assertEqual(trace["tokens"], ["Your", "journey", "starts", "with", "one", "step"])
        (stage,) = trace["stages"]
        self.assertEqual(
            stage["parameters"],
            {"seed": 789, "d_in": 3, "d_out": 2, "num_heads": 1, "batch": 1, "context_length": 6, "qkv_bias": False,
             "dropout": 0.5, "dropout_seed": 123, "dropout_rng": "mt19937"},
        )
        steps = {step["name"]: step for step in stage["steps"]}
        self.assertEqual(
            list(steps),
            "inputs W_query W_key W_value queries keys values attn_scores attn_weights mask_simple masked_simple row_sums "
            "masked_simple_norm mask masked attn_weights_causal dropout_example attn_weights_dropped context_vec "
            "context_vec_dropped".split(),
        )
        scores = steps["attn_scores"]
        self.assertEqual(scores["code"], ["attn_scores = queries @ keys.T"])
        self.assertEqual((scores["op"], scores["inputs"], scores["axes"]), ("matmul", ["queries", "keys"], ["query", "key"]))
        self.assertEqual((scores["shape"], scores["dtype"], scores["grad_fn"]), ([6, 6], "float32", "MmBackward0"))
        self.assertEqual(scores["formula"], "S = Q Kᵀ")
        self.assertEqual(steps["masked"]["data"][0][1], "-Infinity")
        self.assertEqual(steps["inputs"]["data"][0], [0.43, 0.15, 0.89])
        self.assertIsNone(steps["mask"]["grad_fn"])
        self.assertTrue(all(step["title"] and step["note"] and step["code"] for step in stage["steps"]))

    def test_json_on_standard_output_stands_alone(self):
        answer = run("causal", "--compare", "--json", "-")
        self.assertEqual((answer.returncode, json.loads(answer.stdout)["version"]), (0, 1))

    def test_the_tokens_say_which_row_is_which(self):
        lesson = json.dumps({**LESSON, "tokens": ["你好", "\x1b[31m"]})
        self.assertIn("Rows: 0 你好, 1 \\x1b[31m\n", run("causal", "--input", "-", stdin=lesson).stdout)

    def test_json_to_a_file_leaves_the_text_and_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.json")
            answer = run("causal", "--json", str(path))
            self.assertEqual(answer.stdout, run("causal").stdout)
            self.assertEqual(path.read_text(), run("causal", "--json", "-").stdout)
            self.assertEqual(os.listdir(folder), ["trace.json"])
            before = path.read_bytes()
            refused = run("causal", "--input", str(path), "--json", str(path))
            self.assertEqual((refused.returncode, path.read_bytes()), (2, before))

    def test_tokens_stay_whole_in_json(self):
        tokens = ["\x1b[31m", "</script>"]
        lesson = json.dumps({**LESSON, "tokens": tokens})
        self.assertEqual(json.loads(run("causal", "--input", "-", "--json", "-", stdin=lesson).stdout)["tokens"], tokens)

    def test_one_token_of_one_number(self):
        answer = run("causal", "--input", "-", stdin='{"tokens": ["a"], "embeddings": [[0.5]]}')
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertIn("tensor([[1.]], grad_fn=<SoftmaxBackward0>)", answer.stdout)

    def test_a_closed_pipe_ends_quietly(self):
        answer = subprocess.run(["sh", "-c", f"'{PROGRAM}' causal | head -n 1"], capture_output=True, text=True)
        self.assertEqual((answer.stdout.count("\n"), answer.stderr), (1, ""))


if __name__ == "__main__":
    unittest.main()
