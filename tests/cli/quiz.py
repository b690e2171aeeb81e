"""The quiz as a person takes it, through a pipe and at a terminal."""

import json
import os
import pty
import re
import shlex
import subprocess
import tempfile
import unittest

from program import PROGRAM, environment, run

ANSWER = re.compile(r"^It is (.*)\.$", re.MULTILINE)


def answers(*arguments):
    """Returns the right answers, which the program shows if no answer is given."""
    return ANSWER.findall(run(*arguments, stdin="\n" * 1000).stdout)


class Terminal:
    """Starts the program at a terminal of its own, where Ctrl-D ends the input."""

    def __init__(self, *arguments):
        self.master, slave = pty.openpty()

        def take_terminal():
            os.setsid()
            os.close(os.open(os.ttyname(slave), os.O_RDWR))  # becomes the terminal of the session

        self.process = subprocess.Popen(
            [PROGRAM, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(),
            preexec_fn=take_terminal,
        )
        os.close(slave)
        self.text = ""

    def expect(self, end):
        while not self.text.endswith(end):
            self.read()

    def read(self):
        piece = os.read(self.master, 4096)
        assert piece
        self.text += piece.decode().replace("\r\n", "\n")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def finish(self):
        try:
            while True:
                self.read()
        except (OSError, AssertionError):  # the terminal reports this when the program has ended
            os.close(self.master)
            return self.process.wait(10)


class Quiz(unittest.TestCase):
    def test_all_right_is_success(self):
        right = answers("causal", "quiz", "--count", "12")
        assert len(right) == 12
        answer = run("causal", "quiz", "--count", "12", stdin="\n".join(right) + "\n")
        assert (answer.returncode, answer.stderr) == (0, "")
        assert answer.stdout.endswith("12 of 12 right.\n"), answer.stdout[-200:]
        assert (
            run("causal", "quiz", "--count", "12", stdin="\n".join(right)).returncode == 0
        )  # no final line break

    def test_one_wrong_is_not(self):
        right = answers("causal", "quiz", "--count", "5")
        answer = run("causal", "quiz", "--count", "5", stdin="\n".join(["99", *right[1:]]) + "\n")
        assert answer.returncode == 1
        assert answer.stdout.endswith("4 of 5 right.\n")

    def test_the_end_of_input_ends_with_the_score(self):
        right = answers("causal", "quiz", "--count", "5")
        answer = run("causal", "quiz", "--count", "5", stdin=right[0] + "\n")
        assert answer.returncode == 1
        assert answer.stdout.endswith("\n1 of 5 right, 4 not answered.\n")
        assert run("causal", "quiz", "--count", "5").returncode == 1

    def test_a_seed_repeats_a_selection(self):
        one = run("all", "quiz", "--quiz-seed", "7").stdout
        assert one == run("all", "quiz", "--quiz-seed", "7").stdout
        assert one != run("all", "quiz", "--quiz-seed", "8").stdout
        assert one.startswith("1 of 10 · ")

    def test_a_stage_may_follow_where_the_number_may(self):
        assert run("quiz", "causal").stdout == run("causal", "quiz").stdout
        assert "1 of 3 · causal" in run("quiz", "--count", "3", "causal").stdout
        assert run("quiz", "causal").stdout == run("quiz").stdout

    def test_parameters_and_weights_of_ones_own_are_asked_about(self):
        shown = run(
            "causal",
            "quiz",
            "--count",
            "100",
            "--seed",
            "5",
            "--d-out",
            "4",
            "--heads",
            "1",
            stdin="\n" * 100,
        )
        assert shown.returncode == 2  # causal has no heads
        right = answers("causal", "quiz", "--count", "100", "--seed", "5", "--d-out", "4")
        assert "4" in right  # the number below the root
        assert answers("causal", "quiz", "--step", "W_query", "--d-out", "4") == ["(4, 3)"]

    def test_the_number_of_decimals_is_the_printed_one(self):
        shown = run(
            "causal", "quiz", "--count", "2", "--step", "context_vec", "--precision", "6", stdin="\n" * 9
        ).stdout
        assert "(6 decimals)" in shown
        assert re.search(r"It is -?0\.\d{6}\.", shown)

    def test_a_known_mistake_is_named(self):
        shown = run("causal", "quiz", "--step", "attn_weights_causal", stdin="3\n").stdout
        assert "scaled-by-d-in gives your answer" in shown
        assert (
            "  instead of: attn_weights_causal = torch.softmax(masked / keys.shape[-1]**0.5, dim=-1)\n"
            in shown
        )

    def test_what_is_typed_too_short_or_cannot_be_read_is_told(self):
        right = answers("causal", "quiz", "--count", "100")
        short = [re.sub(r"^(-?\d\.\d\d)\d\d$", r"\1", one) for one in right]
        shown = run("causal", "quiz", "--count", "100", stdin="\r\n".join(short) + "\r\n").stdout
        assert re.search(r"Right so far, but give 4\s+decimals:\s+-?0\.\d{4}\.", shown)
        shown = run("causal", "quiz", "--count", "100", stdin="what?\n" * 100).stdout
        for kind in (
            "shape; write one such as (6, 2) or 6x2.",
            "whole number; write one such as 3.",
            "number; write one such as 0.5517",
        ):
            assert f'"what?" is not a {kind}' in shown

    def test_every_known_mistake_that_gives_the_answer_is_named(self):
        for stage in ("causal", "multi-head-wrapper"):
            right = answers(stage, "quiz", "--count", "1000")
            turned = [re.sub(r"^\((.*)(\d+), (\d+)\)$", r"(\1\3, \2)", one) for one in right]
            shown = run(stage, "quiz", "--count", "1000", stdin="\n".join(turned) + "\n").stdout
            assert re.search(r"\btransposed(?: gives your answer)?: the\s+tensor\s+is\s+transposed", shown)
            assert (
                " gives your answer: "
                in run(stage, "quiz", "--count", "1000", stdin="0\n" * len(right)).stdout
            )
        shown = run("causal", "quiz", "--step", "masked", stdin="21\n").stdout
        assert "mask-convention-inverted gives your answer: " in shown
        assert "So does mask-flipped: " in shown
        assert "\nSo does mask-excludes-diagonal: " in shown
        assert (
            "Which d_out does each head need?"
            in run("multi-head-wrapper", "quiz", "--count", "1000", stdin="\n" * 1000).stdout
        )

    def test_weights_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            weights = os.path.join(folder, "own.json")
            with open(weights, "w") as file:
                json.dump(
                    {f"W_{name}.weight": [[0.5, 0.25, 0.125]] for name in ("query", "key", "value")}, file
                )
            right = answers("causal", "quiz", "--count", "100", "--d-out=1", f"--weights={weights}")
            assert "1" in right
            answer = run(
                "causal",
                "quiz",
                "--count",
                "100",
                "--d-out=1",
                f"--weights={weights}",
                stdin="\n".join(right),
            )
            assert (answer.returncode, answer.stderr) == (0, "")

    def test_gradients_are_asked_about(self):
        asked = ("causal", "--backward", "quiz", "--count", "1000")
        shown = run(*asked, stdin="\n" * 1000).stdout
        assert shown.count("_grad") > 10
        assert run(*asked, stdin="\n".join(answers(*asked)) + "\n").returncode == 0

    def test_in_chinese(self):
        assert "第 1 题" in run("causal", "quiz", "--lang", "zh").stdout

    def test_what_is_typed_cannot_command_the_terminal(self):
        assert "\x1b" not in run("causal", "quiz", stdin="\x1b[2J\n" + "9" * 100000 + "\n").stdout

    def test_at_a_terminal_what_cannot_be_read_is_asked_again(self):
        terminal = Terminal("causal", "quiz", "--count", "1", "--step", "W_query")
        terminal.expect("> ")
        terminal.type("what?\n")
        terminal.expect('"what?" is not a shape; write one such as (6, 2) or 6x2.\n> ')
        terminal.type("(9, 9)\n")
        assert terminal.finish() == 1
        assert terminal.text.endswith("0 of 1 right.\n")

    def test_enter_alone_asks_before_it_shows_the_answer(self):
        terminal = Terminal("causal", "quiz", "--step", "W_query")
        terminal.expect("> ")
        terminal.type("\n")
        terminal.expect("Press Enter again to see the answer; ? gives a hint.\n> ")
        terminal.type("\n")
        assert terminal.finish() == 1
        assert terminal.text.endswith("It is (2, 3).\n\n0 of 1 right.\n"), terminal.text

    def test_a_question_mark_gives_a_hint_and_the_command_that_explains(self):
        for mark in ("?", "？"):
            shown = run(
                "causal", "quiz", "--seed=5", "--step=attn_weights_causal", stdin=f"{mark}\n2\n{mark}\n\n"
            ).stdout
            assert (
                "> "
                + mark
                + "\nEach score is a sum of products. The divisor is the square root of the number of"
            ) in shown
            assert "\n1 of 3 right, 1 not answered.\n" in shown
            command = re.search(r"^  attn-walkthrough (explain causal --seed 5 '(.*)')$", shown, re.M)
            told = run(*shlex.split(command.group(1))).stdout
            answer = ANSWER.search(shown).group(1)
            assert f"\n{command.group(2)} = " in told
            assert told.endswith(f"= {float(answer)}\n"), told

    def test_a_wrong_shape_is_told_why(self):
        shown = run("causal", "quiz", "--step", "W_query", stdin="6\n").stdout
        assert "Wrong: it is (2, 3).\nIt has 2 axes, not 1. Its axes in order: out 2, in 3.\n" in shown

    def test_more_questions_than_there_are_are_not_promised(self):
        assert run("causal", "quiz", "--count", "9", "--step", "W_query").stdout.startswith(
            "Number of questions about these steps: 1.\n\n1 of 1"
        )
        assert (
            "All the questions"
            not in run("causal", "quiz").stdout + run("causal", "quiz", "--step", "W_query").stdout
        )

    def test_the_usual_ten_have_the_readmes_exchange(self):
        shown = run("causal", "quiz", stdin="3\n" * 10).stdout
        assert (
            "> 3\nWrong: it is 2.\n"
            "scaled-by-d-in gives your answer: the scores are divided by √d_in, the width of\nthe embeddings"
        ) in shown
        assert shown.count("What is the shape of") <= 2

    def test_ctrl_d_ends_with_the_score(self):
        terminal = Terminal("causal", "quiz", "--count", "3")
        terminal.expect("> ")
        terminal.type("\x04")
        assert terminal.finish() == 1
        assert terminal.text.endswith("\n0 of 3 right, 3 not answered.\n"), terminal.text

    def test_input_that_cannot_be_read_is_an_error(self):
        folder = os.open("/", os.O_RDONLY)
        answer = subprocess.run(
            [PROGRAM, "causal", "quiz"], stdin=folder, capture_output=True, encoding="utf-8"
        )
        os.close(folder)
        assert answer.returncode == 2
        assert "standard input: cannot be read (Is a directory)." in answer.stderr

    def test_what_does_not_go_with_it(self):
        for arguments, message in (
            (["causal", "quiz", "nobody"], 'there is no stage or command "nobody".'),
            (
                ["causal", "quiz", "--quiz-seed", "-1"],
                "--quiz-seed: expected a whole number from 0 to 4294967295",
            ),
            (["causal", "quiz", "--json", "-"], "--json: quiz has no such option; walk does."),
            (["causal", "quiz", "--input", "-"], "quiz reads answers from standard input"),
            (["causal", "quiz", "--weights", "-"], "quiz reads answers from standard input"),
            (["causal", "quiz", "compare"], "is a second command; give one at a time"),
            (["causal", "quiz", "--step", "inputs"], "there are no questions about these steps"),
        ):
            answer = run(*arguments)
            assert (answer.returncode, answer.stdout) == (2, ""), arguments
            assert message in answer.stderr
