"""Heat maps on terminals and in pipes: when there are colours, which ones, and the width. Argument: the
program.
"""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from program import LESSON, PROGRAM, on_terminal, run

STEP = ("causal", "--step", "attn_weights_causal", "--heatmap", "--quiet")
NONE, INDEXED, DIRECT = "none", "256", "24 bit"
ESCAPE = re.compile(r"\x1b\[(?:0|38;(?P<kind>[25]);[\d;]*)m")

SVG = "{http://www.w3.org/2000/svg}"

# --color, other variables, then the output on a terminal and in a pipe.
RULES = [
    ([], {"TERM": "xterm-256color"}, INDEXED, NONE),
    ([], {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, DIRECT, NONE),
    ([], {"TERM": "xterm", "COLORTERM": "24bit"}, DIRECT, NONE),
    ([], {"TERM": "xterm", "COLORTERM": "yes"}, INDEXED, NONE),
    ([], {"TERM": "tmux"}, INDEXED, NONE),
    ([], {"TERM": "dumb"}, NONE, NONE),
    ([], {"TERM": "dumb", "COLORTERM": "truecolor"}, NONE, NONE),
    ([], {}, NONE, NONE),
    ([], {"TERM": "xterm-256color", "NO_COLOR": "1"}, NONE, NONE),
    ([], {"TERM": "xterm-256color", "NO_COLOR": ""}, INDEXED, NONE),
    (["--color=auto"], {"TERM": "xterm-256color"}, INDEXED, NONE),
    (["--color=always"], {}, INDEXED, INDEXED),
    (["--color=always"], {"TERM": "dumb", "NO_COLOR": "1"}, INDEXED, INDEXED),
    (["--color=always"], {"COLORTERM": "truecolor"}, DIRECT, DIRECT),
    (["--color=never"], {"TERM": "xterm-256color"}, NONE, NONE),
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

    def test_headings_and_code_are_coloured_and_nothing_else(self):
        coloured, plain = run("causal", "--color=always").stdout, run("causal").stdout
        self.assertEqual(re.sub(r"\x1b\[\d*m", "", coloured), plain)
        self.assertEqual(on_terminal(80, "causal", TERM="xterm-256color"), coloured)
        for line in coloured.splitlines():
            is_code, is_heading = line.startswith("\x1b[36m"), line.startswith("\x1b[1m")
            self.assertEqual("\x1b" in line, is_code or is_heading)
            self.assertEqual(is_code, re.match(r"(\x1b\[36m)?(>>>|\.\.\.) ", line) is not None, line)
        self.assertEqual(len(re.findall(r"^\x1b\[1m", coloured, re.M)), 1 + 5 + 2 * 20)
        self.assertEqual(run("causal", "--color=always", NO_COLOR="1").stdout, coloured)
        self.assertEqual(on_terminal(80, "causal", TERM="xterm-256color", NO_COLOR="1"), plain)

    def test_nothing_else_is_ever_coloured(self):
        for arguments in (("causal", "--quiet"), ("causal", "--help"), ("causal", "compare"), ("list",)):
            coloured = run(*arguments, "--color=always")
            self.assertEqual(coloured.stdout, run(*arguments).stdout)
            self.assertEqual(coloured.returncode, 0)

    def test_colours_change_no_character_but_the_marks(self):
        plain, coloured = run(*STEP).stdout, run(*STEP, "--color=always").stdout
        self.assertEqual(
            re.findall(r"\d\.\d{4}", plain.split("\n\n")[0]),
            re.findall(r"\d\.\d{4}", coloured.split("\n\n")[0]),
        )

    def test_the_width_is_that_of_the_terminal(self):
        for width, left_out in (
            (80, None),
            (65, None),
            (60, "1 more column"),
            (40, "3 more columns"),
            (24, "5 more columns"),
        ):
            text = on_terminal(width, *STEP)
            self.assertEqual(
                re.findall(r"… (.*)", text.split("\n\n")[0])[-1:], [left_out][: left_out is not None], text
            )
            matrix = text.split("\n\n")[0].splitlines()
            self.assertLessEqual(max(len(line) for line in matrix), width, text)
        self.assertEqual(run(*STEP).stdout, on_terminal(80, *STEP))

    def test_every_stage_can_be_drawn(self):
        for stage in re.findall(r"^([a-z-]+)  ", run("list").stdout, re.M):
            drawn = run(stage, "--heatmap", "--color=always")
            self.assertEqual((drawn.returncode, drawn.stderr), (0, ""), stage)
            self.assertIn("(column)", drawn.stdout)

    def test_every_row_of_chinese_tokens_is_as_wide_as_the_next(self):
        lesson = json.dumps({"tokens": ["旅程", "从一步开始"], "embeddings": LESSON["embeddings"]})
        text = run("causal", "--heatmap", "--quiet", "--step=attn_scores", "--input=-", stdin=lesson).stdout
        _, heading, first, second = text.split("\n\n")[0].splitlines()
        columns = [
            sum(2 if ord(c) > 0x2E80 else 1 for c in line[: line.rindex(end) + 1])
            for line, end in ((heading, "始"), (first[:-1], first[-2]), (second[:-1], second[-2]))
        ]
        self.assertEqual(len(set(columns)), 1, text)

    def test_the_words_are_in_the_language_of_the_run(self):
        text = run(*STEP, "--lang=zh").stdout
        self.assertIn("查询（行）", text)
        self.assertIn("被掩蔽", text)

    def test_what_it_cannot_do_it_says(self):
        answer = run("causal", "--heatmap", "--color=sometimes")
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn("--color: expected auto|always|never but received", answer.stderr)

    def picture(self, *arguments, **more):
        answer = run(*arguments, "--out=-.svg", **more)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        root = xml.etree.ElementTree.fromstring(answer.stdout)
        return root, [element.text for element in root.iter(SVG + "text")]

    def test_a_picture_holds_the_numbers_and_says_what_it_is(self):
        root, texts = self.picture("causal", "--step=attn_weights_dropped")
        self.assertEqual((root.get("role"), root.get("aria-labelledby")), ("img", "title desc"))
        title, desc = root.find(SVG + "title"), root.find(SVG + "desc")
        self.assertEqual((title.get("id"), desc.get("id")), ("title", "desc"))
        self.assertTrue(title.text.startswith("attn_weights_dropped · Dropout"), title.text)
        self.assertIn(" starts: Your 0.7599, journey 0.6194, starts 0.6206, with 0.0000 masked,", desc.text)
        self.assertIn(" journey: Your 0.0000 dropped,", desc.text)
        printed = run("causal", "--step=attn_weights_dropped", "--quiet").stdout
        self.assertEqual(
            [t for t in texts if re.fullmatch(r"\d\.\d{4}", t)][:36], re.findall(r"\d\.\d{4}", printed)
        )
        for words in ("query (row)", "key (column)", "masked", "dropped", "least 0.0000, greatest 2.0000"):
            self.assertIn(words, texts)
        self.assertEqual(texts.count("journey"), 2)

    def test_a_picture_has_the_colours_of_the_terminal(self):
        root, _ = self.picture("causal", "--step=masked")
        fills = [rect.get("fill") for rect in root.iter(SVG + "rect")]
        self.assertEqual(fills.count("url(#hatch)"), 15 + 1)  # and one in the legend
        terminal = run(
            "causal", "--step=masked", "--quiet", "--heatmap", "--color=always", COLORTERM="truecolor"
        ).stdout
        grounds = re.findall(r"48;2;(\d+);(\d+);(\d+)m +\d", terminal)
        self.assertEqual(len(grounds), 21)
        self.assertEqual(
            [fill for fill in fills if fill.startswith("#") and fill != "#ffffff"][1:],
            ["#%02x%02x%02x" % tuple(map(int, ground)) for ground in grounds],
        )

    def test_a_picture_keeps_tokens_inert(self):
        tokens = ["</text><script>alert(1)</script>", "\x1b[2J]]>&amp;\"'\uffff\u202e"]
        lesson = json.dumps({"tokens": tokens, "embeddings": LESSON["embeddings"]})
        root, texts = self.picture("causal", "--step=attn_weights", "--input=-", stdin=lesson)
        self.assertEqual(
            {element.tag for element in root.iter()},
            {SVG + name for name in "svg title desc defs linearGradient stop pattern path rect text".split()},
        )
        self.assertIn("</text><scrip…", texts)

    def test_a_picture_reads_long_tokens_out_as_far_as_they_are_told_apart(self):
        tokens = ["one" * 40_000, "two" * 40_000]
        lesson = json.dumps({"tokens": tokens, "embeddings": LESSON["embeddings"]})
        root, _ = self.picture("causal", "--step=attn_weights", "--input=-", stdin=lesson)
        description = root.find(SVG + "desc").text
        self.assertIn(" oneone", description)
        self.assertIn("… ", description)
        self.assertLess(len(description), 1000)

    def test_a_picture_is_in_the_language_of_the_run(self):
        root, texts = self.picture("causal", "--step=masked", "--lang=zh")
        self.assertEqual(root.get("{http://www.w3.org/XML/1998/namespace}lang"), "zh")
        self.assertIn("键（列）", texts)

    def test_pictures_of_every_step_lie_within_their_frame(self):
        for stage in ("causal", "multi-head", "encoder-decoder", "simplified"):
            trace = json.loads(run(stage, "--json=-").stdout)["stages"][0]
            for step in trace["steps"]:
                if not step["shape"]:
                    continue
                root, _ = self.picture(stage, f"--step={step['name']}")
                width, height = int(root.get("width")), int(root.get("height"))
                for element in [*root.iter(SVG + "rect"), *root.iter(SVG + "text")]:
                    self.assertLessEqual(int(element.get("x", 0)) + int(element.get("width", 0)), width)
                    self.assertLessEqual(int(element.get("y", 0)) + int(element.get("height", 0)), height)

    def test_a_picture_is_of_one_step(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.svg")
            for arguments in (
                ("causal",),
                ("causal", "--step=masked", "--step=mask"),
                ("causal", "numpy", "--step=masked"),
            ):
                answer = run(*arguments, f"--out={path}")
                self.assertEqual((answer.returncode, answer.stdout), (2, ""))
                self.assertIn(
                    "an .svg shows one step of one stage: choose it with --step NAME.", answer.stderr
                )
            answer = run("trainable", "--step=attn_score_22", f"--out={path}")
            self.assertIn("more than one number, and attn_score_22 has only one", answer.stderr)
            self.assertEqual(list(path.parent.iterdir()), [])

    def test_a_closed_pipe_ends_quietly(self):
        command = f"'{PROGRAM}' causal --heatmap --color=always | head -n 1"
        answer = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        self.assertEqual((answer.stdout.count("\n"), answer.stderr), (1, ""))


if __name__ == "__main__":
    unittest.main()
