"""Exports of the walkthrough as Markdown, LaTeX, notebook and comma-separated values, each read back.
Argument: the program.
"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program import PROGRAM, environment, run

# Texts that one of the formats might read as a command.
HOSTILE = ["$a_b%#&{}", "\\end{document}", "你好 🙂", "`--` ``` <script>|~^\"'", "x,y", "\x1b[31m"]
DOCUMENTS = (".ipynb", ".md", ".tex")


def trace(*arguments):
    return json.loads(run(*arguments, "--json=-").stdout)["stages"]


class Exports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        lesson = {"tokens": HOSTILE, "embeddings": [[1e-7, 0.5 * i] for i in range(len(HOSTILE))]}
        (self.folder / "hostile.json").write_text(json.dumps(lesson))
        self.hostile = f"--input={self.folder}/hostile.json"

    def export(self, suffix, *arguments):
        answer = run(*arguments, f"--out=-{suffix}")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), arguments)
        return answer.stdout

    def test_every_document_has_every_step(self):
        for stage in trace("--stage=all"):
            for option in DOCUMENTS:
                text = self.export(option, stage["name"]).replace("\\_", "_").replace("{-}", "-")
                for number, step in enumerate(stage["steps"], 1):
                    self.assertIn(f"{number}/{len(stage['steps'])}", text, option)
                    self.assertIn(step["name"], text, option)

    def test_gradients_go_wherever_steps_do(self):
        for stage, options in (
            ("causal", []),
            ("causal", ["--dropout=1"]),
            ("multi-head", ["--qkv-bias"]),
            ("kv-cache", ["--loss=mse"]),
        ):
            (walked,) = trace(stage, "--backward", *options)
            gradients = [step["name"] for step in walked["steps"] if "autograd" in step]
            self.assertGreater(len(gradients), 10, stage)
            for option in (*DOCUMENTS, ".html"):
                text = (
                    self.export(option, stage, "--backward", *options).replace("\\_", "_").replace("{-}", "-")
                )
                for name in gradients:
                    self.assertIn(name, text, (option, stage))
            files = [f"--out={self.folder}/gradients.{kind}" for kind in ("npz", "safetensors")]
            self.assertEqual(run(stage, "--backward", *options, *files).stderr, "")
            for file in files:
                held = pathlib.Path(file.split("=")[1]).read_bytes()
                for name in gradients:
                    self.assertIn(f"{stage}.{name}".encode(), held)
            step = ["--step", gradients[-1]]
            self.assertIn("<svg", self.export(".svg", stage, "--backward", *options, *step))
            self.assertGreater(len(self.export(".csv", stage, "--backward", *options, *step).splitlines()), 2)
            for shown in (["--heatmap"], ["--lang=zh"], ["--code=cpp"], ["--code=numpy"]):
                answer = run(stage, "--backward", *options, *shown)
                self.assertEqual((answer.returncode, answer.stderr), (0, ""))
                self.assertIn(gradients[-1], answer.stdout)
        everything = json.loads(run("causal", "--backward", "--dropout=1", "--json=-").stdout)["stages"][0][
            "steps"
        ]
        agreed = [step["data"] for step in everything if step["name"].endswith("_agrees")]
        self.assertEqual(agreed, [1.0])

    def test_the_blocks_of_the_markdown_are_the_walkthrough_s(self):
        for options in ([], ["--lang=zh", "--precision=2"], [self.hostile], ["--code=cpp"]):
            (stage,) = trace("causal", *options)
            text = self.export(".md", "causal", *options)
            blocks = re.findall(r"^```(\w+)\n(.*?)\n```$", text, re.S | re.M)
            language = "cpp" if "--code=cpp" in options else "python"
            self.assertEqual(
                [kind for kind, _ in blocks], [language, *[language, "text"] * len(stage["steps"])]
            )
            self.assertEqual(blocks[0][1], "\n".join(stage["setup"]))
            for step, (_, code), (_, answer) in zip(stage["steps"], blocks[1::2], blocks[2::2]):
                self.assertEqual(code.rsplit("\n", 1)[0], "\n".join(step["code"]))
                self.assertEqual(answer, step["printed"])
            self.assertEqual(text.count("$$\n") % 2, 0)
            self.assertEqual(text.count("$$\n") // 2, sum(bool(step["formula"]) for step in stage["steps"]))

    def test_what_tokens_hold_is_text_everywhere(self):
        markdown = self.export(".md", "causal", self.hostile)
        self.assertIn("\\$a_b%\\#\\&{}", markdown)
        self.assertIn("\\<script\\>\\|", markdown)
        notebook = json.loads(self.export(".ipynb", "causal", self.hostile))
        self.assertIn("\\$a_b%\\#\\&{}", "".join(notebook["cells"][0]["source"]))
        latex = self.export(".tex", "causal", self.hostile)
        self.assertIn("\\$a\\_b\\%\\#\\&\\{\\}", latex)
        self.assertIn("\\textbackslash{}end\\{document\\}", latex)
        self.assertIn("\\character{4F60}{你}", latex)
        self.assertEqual(latex.count("\\end{document}"), 1)
        for option in (*DOCUMENTS, ".csv"):
            self.assertNotIn("\x1b", self.export(option, "causal", "--step=attn_scores", self.hostile))

    def test_the_notebook_holds_what_is_printed(self):
        stages = trace("causal", "multi-head")
        notebook = json.loads(self.export(".ipynb", "causal", "multi-head"))
        self.assertEqual(
            (notebook["nbformat"], notebook["nbformat_minor"], notebook["metadata"]["kernelspec"]["name"]),
            (4, 5, "python3"),
        )
        cells = notebook["cells"]
        identifiers = [cell["id"] for cell in cells]
        self.assertEqual(len(set(identifiers)), len(identifiers))
        self.assertTrue(all(re.fullmatch(r"[\w-]{1,64}", identifier) for identifier in identifiers))
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        self.assertEqual([cell["execution_count"] for cell in code], list(range(1, len(code) + 1)))
        printed = ["".join(cell["outputs"][0]["text"]) for cell in code if cell["outputs"]]
        steps = [step for stage in stages for step in stage["steps"]]
        self.assertEqual(len(printed), len(steps))
        for text, step in zip(printed, steps):
            self.assertTrue(text.endswith(step["printed"] + "\n"), step["name"])

    def test_only_the_steps_asked_for(self):
        for option in DOCUMENTS:
            text = self.export(option, "causal", "--step=mask", "--step=masked")
            self.assertRegex(text, r"14/20")
            self.assertNotRegex(text, r"(?<!\d)13/20")

    def test_the_numbers_of_the_csv(self):
        for stage, step in (
            ("causal", "masked"),
            ("causal", "row_sums"),
            ("simplified", "query"),
            ("multi-head", "attn_weights"),
            ("simplified", "attn_scores_2"),
        ):
            (found,) = [one for one in trace(stage)[0]["steps"] if one["name"] == step]
            data, heads = found["data"], len(found["shape"]) - 1
            rows = list(csv.reader(self.export(".csv", stage, f"--step={step}").splitlines()))
            self.assertEqual(rows[0][:heads], found["axes"][:heads])
            flat = [float(x) for row in rows[1:] for x in row[heads:]]

            def numbers(x):
                return [n for part in x for n in numbers(part)] if isinstance(x, list) else [float(x)]

            self.assertEqual(flat, numbers(data), step)
        rows = list(csv.reader(self.export(".csv", "causal", "--step=masked", self.hostile).splitlines()))
        self.assertEqual(rows[0], ["query", *HOSTILE[:-1], "\\x1b[31m"])
        self.assertEqual((rows[1][2], [row[0] for row in rows[1:]]), ("-inf", rows[0][1:]))

    def test_no_token_of_the_csv_is_a_formula_for_a_spreadsheet(self):
        tokens = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "a=b"]
        (self.folder / "formulas.json").write_text(
            json.dumps({"tokens": tokens, "embeddings": [[1, 2, 3]] * 5})
        )
        rows = list(
            csv.reader(
                self.export(
                    ".csv", "causal", "--step=masked", f"--input={self.folder / 'formulas.json'}"
                ).splitlines()
            )
        )
        self.assertEqual(rows[0][1:], ["'" + token for token in tokens[:4]] + ["a=b"])
        self.assertEqual([row[0] for row in rows[1:]], rows[0][1:])

    def test_refusals(self):
        for arguments, message in (
            (["causal", "--out=-.csv"], "a .csv holds one step of one stage: choose it with --step NAME."),
            (["causal", "linear", "--step=queries", "--out=-.csv"], "a .csv holds one step of one stage"),
            (
                ["causal", "--code=cpp", "--out=-.ipynb"],
                "Python runs an .ipynb, but --code cpp gives C++; leave one of the two out.",
            ),
        ):
            answer = run(*arguments)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn(message, answer.stderr)

    def test_the_latex_compiles_within_its_margins(self):
        if shutil.which("pdflatex") is None:
            if os.environ.get("ATTN_NO_SKIP"):
                self.fail("pdflatex (texlive-latex-base) is not installed")
            self.skipTest("pdflatex (texlive-latex-base) is not installed")
        for name, arguments in (
            ("all", ["--stage=all"]),
            ("hostile", ["causal", self.hostile, "--code=cpp"]),
        ):
            (self.folder / f"{name}.tex").write_text(self.export(".tex", *arguments))
            command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
            answer = subprocess.run(
                command, cwd=self.folder, capture_output=True, env=environment(HOME=str(self.folder))
            )
            log = (self.folder / f"{name}.log").read_text(errors="replace")
            self.assertEqual(answer.returncode, 0, log[-2000:])
            self.assertNotIn("Overfull", log)
            self.assertNotIn("Missing character", log)
            self.assertTrue((self.folder / f"{name}.pdf").read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
