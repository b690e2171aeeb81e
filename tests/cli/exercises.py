"""Exercise sheets, their keys, and the marking of answers."""

import json
import re
import shlex
import subprocess

import pytest

from program import PYTHON, missing, ok, refuses, run

LOT = ("causal", "multi-head", "--count=8", "--quiz-seed=3")
KEY = ("exercises", *LOT, "--key=-.md")


def right_answers():
    return re.findall(r"^\*\*Answer:\*\* `(.*)`$", ok(*KEY), re.M)


def mark(answers, code):
    return ok("grade", *LOT, "-", code=code, stdin=json.dumps(answers))


def test_a_sheet_has_no_answers_and_its_key_all():
    sheet, key = ok("exercises", *LOT), ok(*KEY)
    assert len(re.findall(r"^## \d+\. ", sheet, re.M)) == 8
    assert re.findall(r"^## .*", sheet, re.M) == re.findall(r"^## .*", key, re.M)
    assert re.findall(r"^\*\*Answer:\*\*(.*)$", sheet, re.M) == [""] * 8
    assert all(re.findall(r"^\*\*Answer:\*\*(.*)$", key, re.M))


def test_the_line_at_its_end_makes_it_again():
    sheets = set()
    for more in [], ["--seed=5"], ["--lang=zh"], ["--precision=6"], ["--quiz-seed=4"]:
        sheet = ok("exercises", *LOT, *more, "--out=-.md")
        sheets.add(sheet.split("attn-walkthrough ")[0])
        assert ok(*shlex.split(re.search(r"attn-walkthrough (.*)$", sheet, re.M)[1])) == sheet
    assert len(sheets) == 5


def test_all_formats_hold_the_same_tasks(tmp_path):
    ok("exercises", *LOT, "--out=sheet.tex", "--key=key.tex", cwd=tmp_path)
    sheet, key = ((tmp_path / name).read_text() for name in ("sheet.tex", "key.tex"))
    assert (sheet.count("\\subsection*"), sheet.count("\\underline")) == (8, 8)
    assert (key.count("\\subsection*"), key.count("\\underline")) == (8, 0)
    ok("exercises", *LOT, "--out=sheet.ipynb", "--key=key.ipynb", cwd=tmp_path)
    for name, filled in ("sheet.ipynb", False), ("key.ipynb", True):
        book = json.loads((tmp_path / name).read_text())
        code = "\n".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code")
        subprocess.run([PYTHON, "-c", code], cwd=tmp_path, check=True)
        answers = json.loads((tmp_path / "answers.json").read_text())
        assert (list(answers), all(answers.values())) == ([str(i + 1) for i in range(8)], filled)
    # The answers that the key's notebook writes are all right.
    assert ok("grade", *LOT, "answers.json", cwd=tmp_path).endswith("\n8 of 8 right.\n")
    check = "import nbformat; nbformat.validate(nbformat.read('sheet.ipynb', as_version=4))"
    answer = subprocess.run([PYTHON, "-c", check], cwd=tmp_path, capture_output=True, text=True)
    if "No module named" in answer.stderr:
        missing("python3-nbformat")
    assert answer.returncode == 0, answer.stderr


def test_answers_are_marked_and_the_mistake_behind_a_wrong_one_named():
    right = right_answers()
    wrong = ["1.0000" if one == "2.0000" else one for one in right]
    said = mark(wrong, 1)
    assert "> 1.0000\nWrong: it is 2.0000.\n" in said
    assert re.search(r"This mistake gives your answer: dropout\s+does\s+not\s+divide", said)
    assert said.endswith("\n7 of 8 right.\n")
    lists = [json.loads(f"[{one[1:-1]}]") if one.startswith("(") else one for one in right]
    assert mark({str(i + 1): one for i, one in enumerate(lists)}, 0).endswith("\n8 of 8 right.\n")


def test_stages_and_steps_stand_beside_standard_input():
    answers, text = '["0"]', "grade causal --step=keys --count=1 -"
    assert ok("grade - causal", stdin=answers, code=1) == ok("grade causal -", stdin=answers, code=1)
    said = run("grade - causal keys --count=1", stdin=answers)
    assert (said.returncode, said.stdout) == (1, ok(text, stdin=answers, code=1))


def test_a_class_is_marked_by_name():
    right = right_answers()
    said = mark({"Ada": right, "Ben\x1b[2J": {"2": right[1]}, "": [None]}, 1)
    assert "Ada\n\n1 · causal · " in said
    assert said.endswith('\nAda: 8 of 8 right.\nBen\\x1b[2J: 1 of 8 right.\n"": 0 of 8 right.\n')


def test_a_long_answer_is_shown_in_part():
    said = mark({"1": "x" * 1_000_000}, 1)
    assert len(said) < 10_000
    assert "> " + "x" * 200 + "…\n" in said


@pytest.mark.parametrize("number, stage, answers, solution", [
    ("3.1", "linear", 1, ""), ("3.2", "multi-head-wrapper", 2, "[[-0.5740,  0.2216],"),
    ("3.3", "multi-head", 3, ""),
])  # fmt: skip
def test_the_exercises_of_the_book_by_number(number, stage, answers, solution):
    sheet, key = ok("exercises", number), ok("exercises", number, "--key=-.md")
    assert sheet.startswith(f"# Exercise {number} of the book\n\n")
    assert (sheet.count("**Answer:**"), key.count("**Answer:**")) == (answers, answers)
    assert len(key) > len(sheet) + 100 and solution in key
    begin = sheet.split("Created with")[0]
    assert ok(stage, "exercises", number).split("Created with")[0] == begin


def test_the_sheet_does_not_print_its_own_answer():
    sheet, key = ok("exercises", "3.1"), ok("exercises", "3.1", "--key=-.md")
    (answer,) = re.findall(r"\*\*Answer:\*\* \W*(\d\.\d{4})", key)
    assert answer not in sheet and ".T\n" not in sheet and "ranspose" not in sheet
    assert "W_value =\n" in sheet and "queries_v1 = inputs @ W_query_v1" in sheet


def test_several_files_are_marked(tmp_path):
    files = [tmp_path / name for name in ("ada.json", "ben.json")]
    for file, one in zip(files, ("(6, 2)", "(2, 6)")):
        file.write_text(json.dumps({"1": one}))
    said = ok("causal", "grade", "--count=8", "--quiz-seed=3", *files, code=1)
    assert f"{files[0]}\n\n1 · causal · " in said
    assert said.endswith(f"\n{files[0]}: 1 of 8 right.\n{files[1]}: 0 of 8 right.\n")


def test_more_than_there_are():
    text = ok("causal --step=W_key exercises --count=9")
    assert "Number of questions about these steps: 1." in text
    said = ok("grade causal --step=W_key --count=9 -", stdin='{"1": "7"}', code=1)
    assert said.startswith("Number of questions about these steps: 1.\n\n1 · causal · W_key\n")


@pytest.mark.parametrize("answers, message", [
    ({"Ada": {"9": 1}}, "at /Ada/9: expected a task from 1 to 5."),
    ({"1": {"a": 1}}, "at /1: expected a number, a text, or a list of sizes."),
    ("15", "expected answers as a list, or as an object by number"),
])  # fmt: skip
def test_what_is_not_an_answer(answers, message):
    refuses("causal", "grade", "--count=5", "-", stdin=json.dumps(answers), message=f"input: {message}")


def filled(sheet, answers):
    """Writes answers into a sheet: the last task has none, and each form that students use occurs."""
    if sheet.suffix == ".ipynb":
        book = json.loads(sheet.read_text())
        for cell in book["cells"]:
            cell["source"] = "".join(cell["source"])  # one text, as some editors save it
        for task, one in enumerate(answers, 1):
            code = f'answers["{task}"] = "{one}"' if task % 2 else f"answers['{task}'] = {one}  # mine"
            (cell,) = (cell for cell in book["cells"] if cell.get("id") == f"task-{task}-answer")
            cell["source"] = code
        sheet.write_text(json.dumps(book))
    else:
        head, *parts = re.split(r"(?<=\*\*)(?=\n)", sheet.read_text())
        written = [f" **{one}**" if task % 2 else f"\n\n`{one}`" for task, one in enumerate(answers)]
        sheet.write_text(head + "".join(one + part for one, part in zip([*written, ""], parts)))


@pytest.mark.parametrize("made", [LOT, (*LOT, "--lang=zh"), ("3.2",)])
@pytest.mark.parametrize("suffix", [".md", ".ipynb"])
def test_a_sheet_that_is_filled_in_is_marked(made, suffix, tmp_path):
    sheet = tmp_path / "class" / f"sheet{suffix}"
    sheet.parent.mkdir()
    key = ok("exercises", *made, "--key=-.md")
    right = re.findall(r"^\*\*(?:Answer:|答：)\*\* `(.*)`$", key, re.M)
    ok("exercises", *made, f"--out={sheet}")
    filled(sheet, right[:-1])
    score = f"{len(right) - 1} "
    (tmp_path / "key.md").write_text(key)
    for more in [], ["--key=key.md"]:
        marked = run("grade", sheet, *more, cwd=tmp_path)
        assert marked.returncode == 1 and score in marked.stdout.splitlines()[-1], marked
    assert run("grade class/", cwd=tmp_path).stdout == run("", sheet).stdout == marked.stdout
    ok("exercises", "linear", f"--out={tmp_path}/other{suffix}")
    said = refuses("grade", f"other{suffix}", sheet, cwd=tmp_path)
    assert "other questions than the one before" in said or "tasks, but" in said
    with sheet.open() as piped:  # the options of a pipe are not known before it is read
        refuses("grade - --count=12", stdin=piped, message=f"the sheet has {len(right)} tasks, but 12 are")
    assert run("check", sheet).stdout == marked.stdout
    assert '"lost.ipynb"' in run("grade", sheet, "lost.ipynb", cwd=tmp_path).stderr


def test_a_notebook_with_code_is_no_sheet(tmp_path):
    ok("causal --out mine.ipynb", cwd=tmp_path)
    assert "read as: attn-walkthrough diagnose mine.ipynb" in run("grade mine.ipynb", cwd=tmp_path).stderr
    (tmp_path / "mine.md").write_text("# Notes\n")
    refuses("grade mine.md", cwd=tmp_path, message="or in the sheet as .ipynb or .md, but received")


@pytest.mark.parametrize("stages", ["", "trainable", "causal", "trainable --heads 2 --count 3"])
def test_a_filled_in_sheet_is_about_its_own_stages(stages, tmp_path):
    ok("exercises multi-head --heads 2 --count 3 --key sheet.md", cwd=tmp_path)
    graded = run(f"grade sheet.md {stages}", cwd=tmp_path)
    assert graded.stdout.endswith("3 of 3 right.\n") and "grade multi-head" in graded.stderr


@pytest.mark.parametrize("question, number", [
    ("exercise 3.1", "3.1"), ("Exercise 3.2", "3.2"), ("exercises 3.3", "3.3"), ("ex. 3.1", "3.1"),
    ("what is exercise number 3.2 about?", "3.2"), ("练习 3.1", "3.1"), ("练习3.3", "3.3"), ("习题 3.2", "3.2"),
])  # fmt: skip
def test_a_question_about_an_exercise_is_not_about_the_section(question, number):
    is_english = question.isascii()
    sheet = ok("exercises", number, f"--lang={'en' if is_english else 'zh'}").split("Created with")[0]
    for words in [question], question.split():
        answer = run("explain", *words)
        assert answer.returncode == 0 and answer.stdout.splitlines()[:5] == sheet.splitlines()[:5], words
        assert f"exercises {number}" in answer.stderr
    refuses("explain", "-", stdin=question, message=f"attn-walkthrough exercises {number}")


@pytest.mark.parametrize("line", ["list", "help", "walk", "quiz", ""])
def test_other_commands_know_exercises_by_name_too(line):
    answer = run(line, "exercise 3.2")
    assert answer.stdout.startswith("# Exercise 3.2 of the book\n") and "exercises 3.2" in answer.stderr
    assert run("explain exercise 3.1 --lang zh").stdout.startswith("# 书中练习 3.1\n")


def test_an_exercise_that_the_chapter_lacks_is_named():
    refuses("explain", "exercise 3.4", message="there is no exercise 3.4 here; the exercises of the")
    assert ok("explain 3.4").startswith("trainable · ")  # the section


def test_the_name_of_an_exercise_stands_beside_answers(tmp_path):
    (tmp_path / "answers.json").write_text('{"1": "1"}')
    said = run("grade", "exercise 3.2", "answers.json", cwd=tmp_path)
    assert said.stdout == run("grade 3.2 answers.json", cwd=tmp_path).stdout
    assert "1 of 2 right." in said.stdout


@pytest.mark.parametrize("label", ["Answer:", "answer:", "- **Answer**:", "__Answer:__", "> Answer：", "答："])
def test_a_label_is_found_without_its_bold_type(label, tmp_path):
    sheet, key = ok("exercises", *LOT), right_answers()
    head, *parts = sheet.split("**Answer:**")
    filled_in = "".join(f"{label} {one}{part}" for one, part in zip(key, parts))
    (tmp_path / "sheet.md").write_text(head + filled_in)
    assert run("grade sheet.md", cwd=tmp_path).stdout.endswith("\n8 of 8 right.\n")
