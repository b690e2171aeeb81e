"""The quiz as a person takes it, through a pipe and at a terminal."""

import json
import os
import re
import shlex
import subprocess

import pytest

from program import PROGRAM, Terminal, listed, ok, own_weights, run


def asked(line, stdin="\n" * 1000, *more):
    """Returns the exit code and the output of a quiz with these answers."""
    answer = run(f"quiz {line}", *more, stdin=stdin)
    assert answer.stderr == "", answer
    return answer.returncode, answer.stdout


def shown(line, stdin="\n" * 1000, *more):
    return asked(line, stdin, *more)[1]


def answers(line, *more):
    """Returns the right answers, which the program shows if no answer is given."""
    return re.findall(r"(?m)^It is (.*)\.$", shown(line, "\n" * 1000, *more))


def test_the_score_and_the_exit_code():
    line = "causal --count 5"
    right = answers(line)
    assert len(right) == 5
    for typed, code, score in (
        ("\n".join(right) + "\n", 0, "5 of 5 right.\n"),
        ("\n".join(right), 0, "5 of 5 right.\n"),  # no final line break
        ("\n".join(["99", *right[1:]]) + "\n", 1, "4 of 5 right.\n"),
        (right[0] + "\n", 1, "\n1 of 5 right, 4 not answered.\n"),
        ("", 1, ""),
    ):
        returned, text = asked(line, typed)
        assert returned == code and text.endswith(score)


def test_a_seed_repeats_a_selection_and_a_stage_may_follow():
    one = shown("all --quiz-seed 7", "")
    assert one == shown("all --quiz-seed 7", "") != shown("all --quiz-seed 8", "")
    assert one.startswith("1 of 10 · ")
    assert shown("causal", "") == ok("causal quiz", code=1) == shown("", "")
    assert "1 of 3 · causal" in shown("--count 3 causal", "")
    assert "第 1 题" in shown("causal --lang zh", "")


def test_without_answers_all_questions_are_shown():
    text = shown("causal --count 3", "")
    assert all(f"{number} of 3 · causal" in text for number in (1, 2, 3))
    assert "3 of 3 · causal" in shown("causal --count 3", "1\n")
    assert "2 of 3" not in shown("causal --count 3", "q\n")


def test_the_different_line_is_one_that_a_reader_can_find():
    sheet = ok("exercises causal linear --seed 11 --count 100 --text", "The cat sat on the mat")
    assert "numbered lines was different" in sheet
    assert not re.search(r"(?m)^ *\d+  (inputs|generator) = ", sheet)
    lines = re.findall(r"(?m)^ *\d+  .*\n\n(\w+) =$", sheet)
    assert "values" not in lines  # its line alone can be wrong in ways that draw other weights


def test_a_line_is_accepted_as_people_name_it():
    sheet = shown("causal --count 100")
    questions = re.split(r"(?m)^(?=\d+ of \d+ · )", sheet)
    number = next(place for place, one in enumerate(questions) if "Which one?" in one)
    (right,) = answers("causal --count 100")[number - 1 : number]
    for typed in (f"line {right}", f"第{right}行", f"#{right}", f"**{right}**", f"= {right}", f"≈{right}"):
        text = shown("causal --count 100", "\n" * (number - 1) + typed + "\n")
        assert f"> {typed}\nRight: {right}.\n" in text


def test_parameters_weights_and_gradients_of_ones_own_are_asked_about(tmp_path):
    assert "(6, 4)" in answers("causal --count 100 --seed 5 --d-out 4")
    assert answers("causal --step W_query --d-out 4") == ["(4, 3)"]
    own = tmp_path / "own.json"
    rows = [[0.5, 0.25, 0.125]]
    own.write_text(json.dumps(own_weights(rows)))
    line = "causal --count 100 --d-out=1", f"--weights={own}"
    right = answers(*line)
    assert "1" in right and asked(line[0], "\n".join(right), line[1])[0] == 0
    line = "causal --backward --count 1000"
    assert shown(line).count("_grad") > 10
    assert asked(line, "\n".join(answers(line)) + "\n")[0] == 0
    text = shown("causal --count 2 --step context_vec --precision 6")
    assert "(6 decimals)" in text and re.search(r"It is -?0\.\d{6}\.", text)


def test_known_mistakes_that_give_the_answer_are_named():
    text = shown("causal --step masked", "0\n")
    assert "> 0\nWrong: it is -inf.\nThis mistake gives your answer: masked scores are set to 0" in text
    assert "  instead of: masked = attn_scores.masked_fill(mask.bool(), -torch.inf)\n" in text
    for stage in ("causal", "multi-head-wrapper"):
        line = f"{stage} --count 1000"
        right = answers(line)
        turned = [re.sub(r"^\((.*)(\d+), (\d+)\)$", r"(\1\3, \2)", one) for one in right]
        text = shown(line, "\n".join(turned) + "\n")
        assert re.search(r"This mistake gives your answer: the tensor is\s+transposed", text)
        assert " gives your answer: " in shown(line, "0\n" * len(right))
    assert "Which d_out does each head need?" in shown(line)
    assert shown("causal").count("What is the shape of") <= 2


def test_the_exercise_of_narrower_heads_is_asked_beside_gradients():
    assert "Which d_out does each head need?" in asked("multi-head-wrapper --backward --count 99", "")[1]


@pytest.mark.parametrize("stage", listed())
def test_wrong_answers_about_every_stage_are_judged(stage):
    code, text = asked(f"{stage} --count 30", "0.1234\n1\n(9, 9)\n" * 10)
    assert code == 1 and "\nWrong: it is " in text


def test_with_json_the_exit_code_is_that_of_the_answers():
    questions = json.loads(ok("quiz --count 2 --json -"))["questions"]  # nothing is answered
    right = [one["solution"] for one in questions]
    for typed, code in ((right, 0), (right[:1], 0), ([right[0], "99"], 1), (["what?"], 1)):
        ok("quiz --count 2 --json -", stdin="\n".join(typed) + "\n", code=code)


def test_what_is_typed_too_short_or_cannot_be_read_is_told():
    line = "causal --count 100"
    short = [re.sub(r"^(-?\d\.\d\d)\d\d$", r"\1", one) for one in answers(line)]
    assert re.search(
        r"Right so far, but 4 decimals are\s+needed:\s+-?0\.\d{4}\.", shown(line, "\r\n".join(short) + "\r\n")
    )
    text = shown(line, "what?\n" * 100)
    for kind in ("shape; write one such as (6, 2) or 6x2.", "whole number; write one such as 3.",
                 "number; write one such as 0.5517"):  # fmt: skip
        assert f'"what?" is not a {kind}' in text
    assert "\x1b" not in shown("causal", "\x1b[2J\n" + "9" * 100000 + "\n")
    assert (
        "Wrong: it is (2, 3).\nIt has 2 axes, not 1. Its axes in order: out 2, in 3.\n"
        in shown("causal --step W_query", "6\n")
    )  # fmt: skip


@pytest.mark.parametrize("keys, code, end", [
    (["what?\n", '"what?" is not a shape; write one such as (6, 2) or 6x2.\n> ', "(9, 9)\n"], 1,
     "0 of 1 right.\n"),
    (["\n", "Press Enter again to see the answer, or type ? for a hint.\n> ", "\n"], 1,
     "It is (2, 3).\n\n0 of 1 right.\n"),
    (["\x04"], 1, "\n0 of 1 right, 1 not answered.\n"), (["q\n"], 1, "\n0 of 1 right, 1 not answered.\n"),
])  # fmt: skip
def test_at_a_terminal(keys, code, end):
    terminal = Terminal("causal", "quiz", "--step=W_query")
    terminal.expect("> ")
    for typed, expected in zip(keys[::2], [*keys[1::2], None]):
        terminal.type(typed)
        expected and terminal.expect(expected)
    found, text = terminal.finish()
    assert found == code and text.endswith(end), text


@pytest.mark.parametrize("mark", ["?", "？"])
def test_a_question_mark_gives_a_hint_and_the_command_that_explains(mark):
    text = shown("causal --seed=5 --step=attn_weights_causal --quiz-seed=3", f"{mark}\n\n{mark}\n1\n")
    hint = "Compare the two tensors"
    assert f"> {mark}\n{hint}" in text and text.endswith("\n0 of 2 right.\n")
    command = re.search(r"(?m)^  attn-walkthrough (explain causal --seed 5 '(.*)')$", text)
    told = ok("", *shlex.split(command[1]))
    answer = re.search(r"(?m)^It is (.*)\.$", text)[1]
    assert f"\n{command[2]} = " in told and told.endswith(f"= {float(answer):g}\n"), told


def test_a_turned_shape_is_named_first_and_no_mistake_by_its_internal_name():
    text = shown("causal --step W_query", "3x2\n")
    first = "This mistake gives your answer: the tensor is transposed"
    assert first in text and text.index(first) < (text + "So does").index("So does")
    wrong = "".join(shown("causal", f"{answer}\n" * 10) for answer in ("3x2", "0", "3"))
    assert not re.search(r"(?m)\b[a-z]+(-[a-z]+)+ gives your answer|So does [a-z]+-", wrong)


def test_more_questions_than_there_are_are_not_promised():
    few = shown("causal --count 9 --step W_query")
    assert few.startswith("Number of questions about these steps: 1.\n\n1 of 1")
    assert "All the questions" not in shown("causal") + shown("causal --step W_query")


def test_input_that_cannot_be_read_is_an_error():
    folder = os.open("/", os.O_RDONLY)
    answer = subprocess.run([PROGRAM, "quiz"], stdin=folder, capture_output=True, encoding="utf-8")
    os.close(folder)
    assert answer.returncode == 2
    assert "standard input: cannot be read (Is a directory)." in answer.stderr
