"""What the program refuses, how it says so, and that nothing is half done. Argument: the program."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from program import LESSON, PROGRAM, run


class Refusals(unittest.TestCase):
    """Each ends with exit code 2, one message on standard error, and nothing on standard output."""

    def refuses(self, *arguments, message, stdin=""):
        answer = run(*arguments, stdin=stdin)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""), arguments)
        self.assertTrue(answer.stderr.startswith("attn-walkthrough: "), answer.stderr)
        self.assertIn(message, answer.stderr)
        self.assertNotIn("internal error", answer.stderr)
        # In Chinese as well, but for what is quoted, names of files, and examples.
        answer = run(*arguments, stdin=stdin, LC_ALL="zh_CN.UTF-8")
        self.assertEqual((answer.returncode, answer.stdout), (2, ""), arguments)
        said = re.sub(r'"[^"]*"|/[\w./-]+', "", answer.stderr)
        self.assertRegex(said, "[\u4e00-\u9fff]", "data/narration/zh/translations.json lacks it")
        self.assertNotRegex(said, r"\b(expected|but|there|is|are|has|have|the|leave|give|goes|with|of|no|its|an?)\b")

    def test_names_that_do_not_exist(self):
        self.refuses("causl", message='there is no stage "causl". Did you mean "causal"?')
        self.refuses("--stage", "nonsense", message="The stages are: ")
        self.refuses("causal", "--sed", "5", message='there is no option "--sed". Did you mean "--seed"?')
        self.refuses("causal", "--sed=5", message='there is no option "--sed". Did you mean "--seed"?')
        self.refuses("causal", "-x", message='there is no option "-x".')
        self.refuses("causal", "--step", "mask_simpl", message='Did you mean "mask_simple"?')

    def test_cells_that_cannot_be_explained(self):
        for cell, message in (
            ("attn_weight[0][0]", 'causal has no step "attn_weight". Did you mean "attn_weights"?'),
            ("attn_weights[6][0]", "attn_weights has shape (6, 6): expected an index from -6 to 5 for query but received 6."),
            ("attn_weights[0]", 'expected attn_weights[query][key] but received "attn_weights[0]"'),
            ("attn_weights[Yuor][0]", 'there is no token "Yuor". Did you mean "Your"?'),
            ("values[0][Your]", "feature counts no tokens"),
            ("values[0][0", "expected a cell such as attn_weights[1][0]"),
        ):
            self.refuses("causal", "--explain", cell, message=message)
        self.refuses("simplified", "--explain", "attn_scores_2[1][0]", message="expected attn_scores_2[key]")
        self.refuses("causal", "linear", "--explain", "values[0][0]", message="a cell belongs to one stage")
        self.refuses("--explain", "values[0][0]", message="no stage chosen")
        self.refuses("causal", "--explain", "values[0][0]", "--depth", "0", message="--depth: expected a whole number from 1 to 1000")
        self.refuses("causal", "--depth", "2", message="--depth goes with --explain; add it, or leave --depth out.")
        self.refuses("causal", "--explain", "values[0][0]", "--compare", message="ask for different things")
        self.refuses("causal", "--explain", "values[0][0]", "--step", "values", message="leave --step out")
        twice = json.dumps({"tokens": ["a", "b", "a"], "embeddings": [[0.1], [0.2], [0.3]]})
        self.refuses("causal", "--input=-", "--explain", "values[a][0]", message="stands at 0, 2; give one", stdin=twice)
        self.refuses("scaling", "--explain", "score_sizes[3][0]", "--depth=20", message="that explains more than 500 cells; --depth ")

    def test_numbers_that_are_none(self):
        seed = "--seed: expected a whole number from 0 to 18446744073709551615 but received"
        self.refuses("causal", "--seed", "-1", message=f'{seed} "-1"')
        for text in ("-1", "1e3", "0x10", "18446744073709551616", " 5", "5 ", "+5", "1.0", "nan", "٣"):
            self.refuses("causal", f"--seed={text}", message=seed)
        for text in ("nan", "1.5", "-0.1", "inf", "0,5", "0.5x", "0x1p-1", "1e400"):
            self.refuses("causal", f"--dropout={text}", message="--dropout: expected a probability from 0 to 1")
        for text in ("0", "-1", "1e3", "1000000001", "99999999999999999999"):
            self.refuses("causal", f"--d-out={text}", message="--d-out: expected a whole number from 1 to 1000000000")
        for text in ("-1", "21", "x", "3x"):
            self.refuses("causal", f"--precision={text}", message="--precision: expected a whole number")
        for text in ("0", "-1", "1025", "two"):
            self.refuses("causal", f"--threads={text}", message="--threads: expected a whole number from 1 to 1024")
        self.refuses("causal", "--dropout-rng", "mlk", message="--dropout-rng: expected mt19937 or mkl")

    def test_files_where_none_are_written(self):
        for option in ("--list", "--errata", "--generate=man", "--quiz"):
            name = option.split("=")[0]
            self.refuses(option, "--json", "/nowhere/x.json", message=f"{name} writes no files: leave --json out.")

    def test_lengths_that_are_none(self):
        for text in ("256", "256,", ",256", "0,1", "1,x", "512,256", "256,256", "1,1000001", "1 ,2", ",".join(map(str, range(1, 18)))):
            self.refuses("complexity", "--tokens", text, message="--tokens: expected 2 to 16 whole numbers from 1 to 1000000")
        self.refuses("causal", "--tokens", "1,2", message="none of the chosen stages uses this option; these do: complexity")

    def test_measuring_where_nothing_is_printed_for_it(self):
        self.refuses("causal", "--measure", message="none of the chosen stages uses this option; these do: complexity")
        self.refuses("complexity", "--measure", "--json=-", message="standard output holds the export")
        self.refuses("complexity", "--measure", "--compare", message="--measure goes with a walkthrough, which --compare is not")

    def test_languages_that_no_code_is_in(self):
        for text in ("python", "c++", "mathml", ""):
            self.refuses("causal", "--code", text, message=f'--code: expected torch, numpy or cpp but received "{text}"')

    def test_windows_that_are_none(self):
        for text in ("", "2", "a:b", "1:2:3", "2:5 ", "+1:2", "1.0:2", "-:3", "0x1:", "2..5", "1000000001:", ":99999999999999999999", "２:"):
            self.refuses("causal", "--rows", text, message=f'--rows: expected a window such as 2:5, :3 or -2: but received "{text}".')
        self.refuses("causal", "--rows", message="--rows: a value is missing.")
        self.refuses("causal", "--rows=1:2", "--rows=2:3", message="--rows: given 2 times; once is enough.")
        self.refuses("causal", "--rows=1:2", "--heatmap", message="--rows cuts out of what print() shows")
        self.refuses("causal", "--rows=1:2", "--compare", message="--rows shows a walkthrough, which --compare is not")

    def test_numbers_that_cannot_be_set(self):
        for text in ("", "inputs", "inputs[1][0]", "inputs[1][0]=", "inputs[1][0]=x", "inputs[1][0]=nan", "inputs[1][0]=1e39", "inputs[1=0"):
            self.refuses("causal", f"--set={text}" if text else "--set", message="a value is missing" if not text else "--set: expected a ")
        self.refuses("causal", "--set=nothing[0]=1", message='--set: causal has no step "nothing".')
        self.refuses("causal", "--set=inputs[6][0]=1", message="expected an index from -6 to 5 for token but received 6")
        self.refuses("causal", "--set=inputs[nobody][0]=1", message='there is no token "nobody"')
        self.refuses("causal", "--set=keys[0][0]=1", message="--set: keys is computed from inputs, W_key; set a number of what nothing computes")
        for task in ("--compare", "--quiz", "--diagnose=-"):
            name = task.partition("=")[0]
            self.refuses("causal", "--set=inputs[1][0]=1", task, message=f"--set changes a walkthrough, which {name} is not")

    def test_options_that_say_two_things_or_nothing(self):
        self.refuses("causal", "--seed", "1", "--seed", "2", message="--seed: given 2 times; once is enough.")
        self.refuses("causal", "--quiet", "--quiet", message="--quiet: given 2 times")
        for arguments in (["--seed"], ["--seed="], ["--seed", "--quiet"], ["--json", "--quiet"], ["--step"]):
            self.refuses("causal", *arguments, message=f"{arguments[0].strip('=')}: a value is missing")
        self.refuses("causal", "--qkv-bias=false", message="--qkv-bias: takes no value.")
        self.refuses("--seed", "1", message="no stage chosen")
        self.refuses("causal", "--heads", "2", message="--heads: none of the chosen stages uses this option; these do: multi-head")
        self.refuses("multi-head", "--heads", "3", message="attn-walkthrough: --heads: 3 heads do not divide d_out, which is 2")
        self.refuses("causal", "multi-head", "--d-out", "3", message="multi-head: --heads: 2 heads do not divide d_out, which is 3")

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

    def test_files_larger_than_is_read(self):
        lesson = json.dumps(LESSON)
        weights = json.dumps({f"W_{name}.weight": [[1, 0], [0, 1]] for name in ("query", "key", "value")})
        with tempfile.TemporaryDirectory() as folder:
            arrays, step = pathlib.Path(folder, "arrays.npz"), ["--step", "inputs"]
            self.assertEqual(run("causal", *step, "--quiet", "--npz", str(arrays)).returncode, 0)
            path = pathlib.Path(folder, "lesson.json")
            path.write_text(lesson)
            for arguments, stdin, size in (
                (["--input", "-"], lesson, len(lesson)),
                (["--input", str(path)], "", len(lesson)),
                (["--input", str(arrays)], "", arrays.stat().st_size),
                (["--input", str(path), "--weights", "-"], weights, len(weights)),
                (["--diagnose", "-"], "tensor([[0.1921, 0.1646], [0.2041, 0.1659]])", 44),
            ):
                self.assertIn(run("causal", *arguments, f"--max-input-bytes={size}", stdin=stdin).returncode, (0, 1), arguments)
                message = f"holds more than {size - 1} bytes, the most that is read; --max-input-bytes N raises it."
                self.refuses("causal", *arguments, f"--max-input-bytes={size - 1}", stdin=stdin, message=message)
        for text in ("0", "-1", "1e3", "0x10", "1000000000001", "256M"):
            message = f'--max-input-bytes: expected a whole number from 1 to 1000000000000 but received "{text}"'
            self.refuses("causal", "--input=-", f"--max-input-bytes={text}", message=message)
        self.refuses("causal", "--max-input-bytes=9", message="is about what --input, --weights or --diagnose read")

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
            ({**right, "a\u200b": eye, "a\\u200b": eye}, "two keys differ in characters that cannot be shown"),
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
            accepted = {**right, "mask": [[False, True], [False, False]]}
            answer = run("causal", "--d-out=3", "--input", str(path), "--weights", "-", "--quiet", "--step=queries", stdin=json.dumps(accepted))
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertIn("tensor([[1.5000, 2.0000, 3.5000],", answer.stdout)
        self.refuses("causal", "--input", "-", "--weights", "-", message="standard input")

    def test_two_exports_to_standard_output(self):
        self.refuses("causal", "--json=-", "--npz=-", message="only one export can go to standard output; give the others a file.")

    def test_a_focus_that_is_not_there_or_stands_twice(self):
        self.refuses("simplified", "--focus=jorney", message='Did you mean "journey"?')
        twice = json.dumps({"tokens": ["a", "b", "a"], "embeddings": [[0.1], [0.2], [0.3]]})
        self.refuses("simplified", "--input=-", "--focus=a", stdin=twice, message="stands at 0, 2; give one of these indices.\n")

    def test_heads_of_a_model_that_are_no_number(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.json")
            path.write_text(json.dumps({f"h.0.{name}_proj.weight": [[1, 0], [0, 1]] for name in "qkv"}))
            arguments = ["causal", "--input=-", "--weights", str(path), "--head=0"]
            self.refuses(*arguments, "--heads=two", stdin=json.dumps(LESSON), message="--heads: expected a whole number from 1 to 1000")
            answer = run(*arguments, "--heads=2", "--step=keys", "--quiet", stdin=json.dumps(LESSON))
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertIn("tensor([[1.5000],", answer.stdout)

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

    def test_stages_in_which_nothing_is_trained(self):
        listed = run("--list").stdout
        said = run("all", "--backward", "--step=loss", "--quiet")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        for stage, why in (
            ("simplified", "it has no weights, embeddings are compared as they are."),
            ("encoder-decoder", "its states are given."),
            ("numpy", "NumPy has no autograd; with lines in NumPy the other stages go back by hand."),
            ("training-step", "it goes back by itself."),
            ("masks", "what one passes back is shown by causal."),
        ):
            self.assertIn(stage, listed)
            self.refuses(stage, "--backward", message="these do: trainable, linear, causal, ")
            self.refuses(stage, "--backward", message=f" {stage}: ")
            self.refuses(stage, "--backward", message=why)
        self.refuses("causal", "--loss=mse", message="--loss goes with --backward; add it, or leave --loss out.")
        self.refuses("causal", "--backward", "--loss=mae", message='--loss: expected sum, mean or mse but received "mae".')
        for text in ("0", "-1", "nan", "1e7", "x"):
            self.refuses("training-step", f"--lr={text}", message="--lr: expected a number above 0, at most 1000000, such as 0.1 but received")

    def test_windows_and_groups_that_do_not_fit(self):
        self.refuses("sliding-window", "--window", "0", message="--window: expected a whole number from 1 to")
        self.refuses("sliding-window", "--window", "7", message="--window: one of 7 is wider than the sentence; expected 1 to 6.")
        self.refuses("causal", "--window", "2", message="--window: none of the chosen stages uses this option; these do: sliding-window")
        self.refuses("grouped-query", "--kv-heads", "3", message="--kv-heads: 3 do not divide the 4 heads of queries into equal groups; these do: 1, 2, 4.")
        self.refuses("grouped-query", "--heads", "3", message="--heads: 3 heads do not divide d_out, which is 8")

    def test_lengths_that_contradict_a_padding(self):
        self.refuses("masks", "--short-length", "0", message="--short-length: expected a whole number from 1 to")
        self.refuses("masks", "--short-length", "7", message="--short-length: the shorter sentence has 7 tokens and the longer one 6; expected 1 to 6.")
        self.refuses("causal", "--short-length", "2", message="--short-length: none of the chosen stages uses this option; these do: masks")

    def test_widths_and_bases_that_turn_nothing(self):
        self.refuses("rotary", "--d-out", "3", message="--d-out: 3 makes each head 3 wide, and numbers are turned in pairs; 2 or 4 would fit.")
        self.refuses("rotary", "--d-out", "1", message="2 or 4 would fit.")
        self.refuses("grouped-query", "--rotary", "halves", "--heads", "8", message="--d-out: 8 makes each head 1 wide, and numbers are turned in pairs; 16 or 32 would fit.")
        self.refuses("grouped-query", "--rotary", "pairs", message="--rotary: expected halves, neighbours or none but received")
        self.refuses("grouped-query", "--rotary-base", "500", message="--rotary-base: nothing is turned by it; give --rotary halves or neighbours, too.")
        self.refuses("causal", "--rotary", "halves", message="--rotary: none of the chosen stages uses this option; these do: grouped-query")
        for base in ("0", "1", "-5", "nan", "inf", "1e13", "ten"):
            self.refuses("rotary", f"--rotary-base={base}", message="--rotary-base: expected a number above 1, up to 1e12, such as 10000")

    def test_nothing_else_to_compare_with(self):
        self.refuses("causal", "--compare", "--step", "queries", message="the documents print no table of these steps")
        self.refuses("causal", "--compare", "--step", "masked", "--seed", "5", message="--seed 789 --d-out 2: 000 masked")
        for option in ("--seed=5", "--focus=step"):
            self.refuses("all", "--compare", option, message=f"leave {option.split('=')[0]} out")
        self.refuses("causal", "--compare", "--input", "-", stdin=json.dumps(LESSON), message="built-in sentence")


if __name__ == "__main__":
    unittest.main()
