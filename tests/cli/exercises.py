"""Exercise sheets, their keys, and the marking of answers."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from program import run

LOT = ("causal", "multi-head", "--count", "8", "--quiz-seed", "3")
SHEET = ("exercises", *LOT)


class Exercises(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_here(self, *arguments, code=0):
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        answer = run(*arguments)
        assert (answer.returncode, answer.stderr) == (code, ""), arguments
        return answer.stdout

    def mark(self, answers, code):
        (self.folder / "answers.json").write_text(json.dumps(answers))
        return self.run_here("grade", *LOT, "answers.json", code=code)

    def right_answers(self):
        return re.findall(r"^\*\*Answer:\*\* `(.*)`$", self.run_here(*SHEET, "--key", "-.md"), re.M)

    def test_a_sheet_has_no_answers_and_its_key_all(self):
        sheet = self.run_here(*SHEET, "--key", "key.md")
        key = (self.folder / "key.md").read_text()
        assert len(re.findall(r"^## \d+\. ", sheet, re.M)) == 8
        assert re.findall(r"^## .*", sheet, re.M) == re.findall(r"^## .*", key, re.M)
        assert re.findall(r"^\*\*Answer:\*\*(.*)$", sheet, re.M) == [""] * 8
        assert all(re.findall(r"^\*\*Answer:\*\*(.*)$", key, re.M))

    def test_the_line_at_its_end_makes_it_again(self):
        for more in ((), ("--seed=5",), ("--lang", "zh"), ("--precision", "6")):
            sheet = self.run_here(*SHEET, *more, "--out", "-.md")
            command = re.search(r"attn-walkthrough (.*)$", sheet, re.M).group(1)
            assert self.run_here(*shlex.split(command)) == sheet
        assert self.run_here(*SHEET) != self.run_here(*SHEET, "--precision", "6")
        assert self.run_here(*SHEET) != self.run_here(*SHEET[:-1], "4")

    def test_all_formats_hold_the_same_tasks(self):
        self.run_here(*SHEET, "--out", "sheet.tex", "--key", "key.tex")
        sheet, key = ((self.folder / name).read_text() for name in ("sheet.tex", "key.tex"))
        assert (sheet.count("\\subsection*"), sheet.count("\\underline")) == (8, 8)
        assert (key.count("\\subsection*"), key.count("\\underline")) == (8, 0)
        self.run_here(*SHEET, "--out", "sheet.ipynb", "--key", "key.ipynb")
        for name, filled in (("sheet.ipynb", False), ("key.ipynb", True)):
            book = json.loads((self.folder / name).read_text())
            assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
            assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
            self.run_code(book)
            answers = json.loads((self.folder / "answers.json").read_text())
            assert (list(answers), all(answers.values())) == ([str(i + 1) for i in range(8)], filled)
        # The answers that the key's notebook writes are all right.
        assert self.run_here("grade", *LOT, "answers.json").endswith("\n8 of 8 right.\n")

    def run_code(self, book):
        os.chdir(self.folder)
        names = {}
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)

    def test_a_notebook_of_tasks_is_valid(self):
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
        self.run_here(*SHEET, "--out", "sheet.ipynb")
        check = "import nbformat; nbformat.validate(nbformat.read('sheet.ipynb', as_version=4))"
        answer = subprocess.run([python, "-c", check], cwd=self.folder, capture_output=True, text=True)
        if "No module named" in answer.stderr and not os.environ.get("ATTN_NO_SKIP"):
            self.skipTest("python3-nbformat is not installed")
        assert answer.returncode == 0, answer.stderr

    def test_answers_are_marked_and_the_mistake_behind_a_wrong_one_named(self):
        right = self.right_answers()
        place = right.index("15")  # 15 of the 36 numbers are hidden
        said = self.mark([*right[:place], 21, *right[place + 1 :]], 1)
        assert "> 21\nWrong: it is 15.\n" in said
        assert re.search(r"\bmask-flipped(?: gives your answer)?: the mask is inverted", said)
        assert said.endswith("\n7 of 8 right.\n")
        assert said == self.mark([*right[:place], 21, *right[place + 1 :]], 1)
        shapes = {
            str(i + 1): json.loads(f"[{one[1:-1]}]") if one.startswith("(") else one
            for i, one in enumerate(right)
        }
        assert self.mark(shapes, 0).endswith("\n8 of 8 right.\n")

    def test_a_class_is_marked_by_name(self):
        right = self.right_answers()
        said = self.mark({"Ada": right, "Ben\x1b[2J": {"2": right[1]}, "": [None]}, 1)
        assert "Ada\n\n1 · causal · " in said
        assert said.endswith('\nAda: 8 of 8 right.\nBen\\x1b[2J: 1 of 8 right.\n"": 0 of 8 right.\n'), said[
            -200:
        ]

    def test_a_long_answer_is_shown_in_part(self):
        said = self.mark({"1": "x" * 1_000_000}, 1)
        assert len(said) < 10_000
        assert "> " + "x" * 200 + "…\n" in said

    def test_the_exercises_of_the_book_by_number(self):
        for number, stage, answers in (
            ("3.1", "linear", 1),
            ("3.2", "multi-head-wrapper", 2),
            ("3.3", "multi-head", 3),
        ):
            sheet = self.run_here("exercises", number, "--key", "key.md")
            key = (self.folder / "key.md").read_text()
            assert sheet.startswith(f"# Exercise {number} of the book\n\n")
            assert (sheet.count("**Answer:**"), key.count("**Answer:**")) == (answers, answers)
            assert len(key) > len(sheet) + 100  # the solution
            assert (
                self.run_here(stage, "exercises", number).split("Created with")[0]
                == sheet.split("Created with")[0]
            )
        assert "[[-0.5740,  0.2216]," in self.run_here("exercises 3.2 --key=-.md")

    def test_more_than_there_are_and_what_is_refused(self):
        few = self.run_here("causal --step=W_key exercises --count=9")
        assert "Number of questions about these steps: 1." in few
        for text, message in (
            ('{"Ada": {"9": 1}}', "at /Ada/9: expected a task from 1 to 5."),
            ('{"1": {"a": 1}}', "at /1: expected a number, a text, or a list of sizes."),
            ('"15"', "expected answers as a list, or as an object by number"),
        ):
            answer = run("causal grade --count 5 -", stdin=text)
            assert (answer.returncode, answer.stdout) == (2, "")
            assert f"standard input: {message}" in answer.stderr
