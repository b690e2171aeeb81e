"""Heat maps on terminals and in pipes: who gets colours, which ones, and how wide. Argument: the program."""

import json
import re
import subprocess
import unittest

from program import LESSON, PROGRAM, on_terminal, run

STEP = ("causal", "--step", "attn_weights_causal", "--heatmap", "--quiet")
NONE, INDEXED, DIRECT = "none", "256", "24 bit"
ESCAPE = re.compile(r"\x1b\[(?:0|38;(?P<kind>[25]);[\d;]*)m")

# --color, other variables, then what a terminal gets and what a pipe gets.
RULES = [
    ([], {"TERM": "xterm-256color"}, INDEXED, NONE),
    ([], {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, DIRECT, NONE),
    ([], {"TERM": "xterm", "COLORTERM": "24bit"}, DIRECT, NONE),
    ([], {"TERM": "xterm", "COLORTERM": "yes"}, INDEXED, NONE),
    ([], {"TERM": "tmux"}, INDEXED, NONE),
    ([], {"TERM": "linux"}, NONE, NONE),
    ([], {"TERM": "dumb"}, NONE, NONE),
    ([], {"TERM": "dumb", "COLORTERM": "truecolor"}, NONE, NONE),
    ([], {}, NONE, NONE),
    ([], {"TERM": "xterm-256color", "NO_COLOR": "1"}, NONE, NONE),
    ([], {"TERM": "xterm-256color", "NO_COLOR": ""}, INDEXED, NONE),
    ([], {"TERM": "xterm-256color", "FORCE_COLOR": "1"}, INDEXED, INDEXED),
    ([], {"TERM": "xterm-256color", "FORCE_COLOR": ""}, INDEXED, NONE),
    ([], {"TERM": "xterm", "COLORTERM": "truecolor", "FORCE_COLOR": "1"}, DIRECT, DIRECT),
    ([], {"TERM": "dumb", "FORCE_COLOR": "1"}, INDEXED, INDEXED),
    ([], {"TERM": "xterm", "FORCE_COLOR": "1", "NO_COLOR": "1"}, NONE, NONE),
    (["--color=auto"], {"TERM": "xterm-256color"}, INDEXED, NONE),
    (["--color=always"], {}, INDEXED, INDEXED),
    (["--color=always"], {"TERM": "dumb", "NO_COLOR": "1"}, INDEXED, INDEXED),
    (["--color=always"], {"COLORTERM": "truecolor"}, DIRECT, DIRECT),
    (["--color=never"], {"TERM": "xterm-256color", "FORCE_COLOR": "1"}, NONE, NONE),
]


def colours(text):
    kinds = {match["kind"] for match in ESCAPE.finditer(text)} - {None}
    assert "\x1b" not in ESCAPE.sub("", text) and len(kinds) < 2, text
    return {"": NONE, "5": INDEXED, "2": DIRECT}["".join(kinds)]


class Heatmaps(unittest.TestCase):
    def test_who_gets_which_colours(self):
        for option, variables, terminal, pipe in RULES:
            with self.subTest(option=option, **variables):
                self.assertEqual(colours(on_terminal(80, *STEP, *option, **variables)), terminal)
                self.assertEqual(colours(run(*STEP, *option, **variables).stdout), pipe)

    def test_nothing_else_is_ever_coloured(self):
        for arguments in (("causal",), ("causal", "--quiet"), ("--help",), ("causal", "--compare"), ("--list",)):
            coloured = run(*arguments, "--color=always") if arguments[0] == "causal" else run(*arguments, FORCE_COLOR="1")
            self.assertEqual(coloured.stdout, run(*arguments).stdout)
            self.assertEqual(coloured.returncode, 0)
        self.assertEqual(on_terminal(80, "causal", TERM="xterm-256color"), run("causal").stdout)

    def test_colours_change_no_character_but_the_marks(self):
        plain, coloured = run(*STEP).stdout, run(*STEP, "--color=always").stdout
        self.assertEqual(re.findall(r"\d\.\d{4}", plain.split("\n\n")[0]), re.findall(r"\d\.\d{4}", coloured.split("\n\n")[0]))

    def test_the_width_is_that_of_the_terminal(self):
        for width, left_out in ((80, None), (65, None), (60, "1 more column"), (40, "3 more columns"), (24, "5 more columns")):
            text = on_terminal(width, *STEP)
            self.assertEqual(re.findall(r"… (.*)", text.split("\n\n")[0])[-1:], [left_out][: left_out is not None], text)
            matrix = text.split("\n\n")[0].splitlines()
            self.assertLessEqual(max(len(line) for line in matrix), width, text)
            self.assertEqual(run(*STEP, COLUMNS=str(width)).stdout, text)
        self.assertEqual(run(*STEP).stdout, on_terminal(80, *STEP))

    def test_every_stage_can_be_drawn(self):
        for line in run("--list").stdout.splitlines():
            stage = line.split()[0]
            if not line.startswith(" "):
                drawn = run(stage, "--heatmap", "--color=always")
                self.assertEqual((drawn.returncode, drawn.stderr), (0, ""), stage)
                self.assertIn("(column)", drawn.stdout)

    def test_every_row_of_chinese_tokens_is_as_wide_as_the_next(self):
        lesson = json.dumps({"tokens": ["旅程", "从一步开始"], "embeddings": LESSON["embeddings"]})
        text = run("causal", "--heatmap", "--quiet", "--step=attn_scores", "--input=-", stdin=lesson).stdout
        _, heading, first, second = text.split("\n\n")[0].splitlines()
        columns = [sum(2 if ord(c) > 0x2E80 else 1 for c in line[: line.rindex(end) + 1]) for line, end in
                   ((heading, "始"), (first[:-1], first[-2]), (second[:-1], second[-2]))]
        self.assertEqual(len(set(columns)), 1, text)

    def test_the_words_are_in_the_language_of_the_run(self):
        text = run(*STEP, "--lang=zh").stdout
        self.assertIn("query（行）", text)
        self.assertIn("被掩蔽", text)

    def test_what_it_cannot_do_it_says(self):
        for arguments, message in (
            (("causal", "--heatmap", "--compare"), "--heatmap shows a walkthrough, which --compare is not"),
            (("causal", "--heatmap", "--color=sometimes"), "--color: expected auto, always, never but received"),
            (("causal", "--heatmap", "--color=alway"), 'Did you mean "always"?'),
        ):
            answer = run(*arguments)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn(message, answer.stderr)

    def test_a_closed_pipe_ends_quietly(self):
        command = f"'{PROGRAM}' causal --heatmap --color=always | head -n 1"
        answer = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        self.assertEqual((answer.stdout.count("\n"), answer.stderr), (1, ""))


if __name__ == "__main__":
    unittest.main()
