"""Heat maps on terminals, in pipes and as pictures: when there are colours, which ones, and the width."""

import re
import xml.etree.ElementTree

import pytest

from program import lesson, listed, ok, on_terminal, run, trace

STEP = "causal --step attn_weights_causal --heatmap --quiet".split()
NONE, INDEXED, DIRECT = "none", "256", "24 bit"
ESCAPE = re.compile(r"\x1b\[(?:0|38;(?P<kind>[25]);[\d;]*)m")
SVG = "{http://www.w3.org/2000/svg}"


def colours(text):
    kinds = {match["kind"] for match in ESCAPE.finditer(text)} - {None}
    assert "\x1b" not in ESCAPE.sub("", text) and len(kinds) < 2, text
    return {"": NONE, "5": INDEXED, "2": DIRECT}["".join(kinds)]


# --color, other variables, then the output on a terminal and in a pipe.
@pytest.mark.parametrize("option, variables, terminal, pipe", [
    ("", "TERM=xterm-256color", INDEXED, NONE), ("", "TERM=xterm-256color COLORTERM=truecolor", DIRECT, NONE),
    ("", "TERM=xterm COLORTERM=24bit", DIRECT, NONE), ("", "TERM=xterm COLORTERM=yes", INDEXED, NONE),
    ("", "TERM=dumb", NONE, NONE), ("", "TERM=dumb COLORTERM=truecolor", NONE, NONE), ("", "", NONE, NONE),
    ("", "TERM=xterm-256color NO_COLOR=1", NONE, NONE), ("", "TERM=xterm-256color NO_COLOR=", INDEXED, NONE),
    ("auto", "TERM=xterm-256color", INDEXED, NONE), ("always", "", INDEXED, INDEXED),
    ("always", "TERM=dumb NO_COLOR=1", INDEXED, INDEXED), ("always", "COLORTERM=truecolor", DIRECT, DIRECT),
    ("never", "TERM=xterm-256color", NONE, NONE),
])  # fmt: skip
def test_colours_are_for_those_who_see_them(option, variables, terminal, pipe):
    variables = dict(one.split("=") for one in variables.split())
    command = [*STEP, *[f"--color={option}"] * bool(option)]
    assert colours(on_terminal(80, *command, **variables)) == terminal
    assert colours(ok(*command, **variables)) == pipe


def test_headings_and_code_are_coloured_and_nothing_else():
    coloured, plain = ok("causal --color=always"), ok("causal")
    assert re.sub(r"\x1b\[\d*m", "", coloured) == plain
    shown = on_terminal(80, "causal", TERM="xterm-256color")  # breaks long lines of code
    assert "\x1b[1m" in shown and re.sub(r"\x1b\[\d*m", "", shown) == on_terminal(80, "causal")
    for line in coloured.splitlines():
        is_code = line.startswith("\x1b[36m")
        assert ("\x1b" in line) == (is_code or line.startswith("\x1b[1m"))
        assert is_code == bool(re.match(r"(\x1b\[36m)?(>>>|\.\.\.) ", line)), line
    assert len(re.findall(r"^\x1b\[1m", coloured, re.M)) == 1 + 5 + 2 * 20
    uncoloured = on_terminal(80, "causal", TERM="xterm-256color", NO_COLOR="1")
    assert uncoloured == on_terminal(80, "causal")
    for other in ("causal --quiet", "causal --help", "causal compare", "list"):
        assert ok(*other.split(), "--color=always") == ok(*other.split())


def test_the_width_is_that_of_the_terminal():
    for width, left_out in (
        (80, []), (65, []), (60, ["1 more column"]), (40, ["3 more columns"]), (24, ["5 more columns"])
    ):  # fmt: skip
        matrix = on_terminal(width, *STEP).split("\n\n")[0]
        assert re.findall(r"… (.*)", matrix)[-1:] == left_out
        assert max(map(len, matrix.splitlines())) <= width
    assert ok(*STEP) == on_terminal(80, *STEP)


def test_every_stage_can_be_drawn():
    for stage in listed():
        assert "(column)" in ok(stage, "--heatmap", "--color=always")


def test_a_heat_map_is_in_the_language_of_the_run():
    text = ok(*STEP, "--lang=zh")
    assert "查询（行）" in text and "被掩蔽" in text
    root, texts = picture("causal", "--step=masked", "--lang=zh")
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "zh" and "键（列）" in texts


def picture(*arguments, **more):
    answer = run(*arguments, "--out=-.svg", **more)
    assert answer.returncode == 0 and "\n" not in answer.stderr[:-1], answer  # at most a word about the step
    root = xml.etree.ElementTree.fromstring(answer.stdout)
    return root, [element.text for element in root.iter(SVG + "text")]


def test_a_picture_has_the_numbers_and_says_what_it_is():
    root, texts = picture("causal", "--step=attn_weights_dropped")
    assert (root.get("role"), root.get("aria-labelledby")) == ("img", "title desc")
    title, desc = root.find(SVG + "title"), root.find(SVG + "desc")
    assert (title.get("id"), desc.get("id")) == ("title", "desc")
    assert title.text.startswith("attn_weights_dropped · Dropout")
    assert " starts: Your 0.7599, journey 0.6194, starts 0.6206, with 0.0000 masked," in desc.text
    assert " journey: Your 0.0000 dropped," in desc.text
    printed = re.findall(r"\d\.\d{4}", ok("causal --step=attn_weights_dropped --quiet"))
    assert [text for text in texts if re.fullmatch(r"\d\.\d{4}", text)][:36] == printed
    words = {"query (row)", "key (column)", "masked", "dropped", "least 0.0000, greatest 2.0000"}
    assert words <= {*texts} and texts.count("journey") == 2


def test_a_picture_has_the_colours_of_the_terminal():
    root, _ = picture("causal", "--step=masked")
    fills = [rect.get("fill") for rect in root.iter(SVG + "rect")]
    assert fills.count("url(#hatch)") == 15 + 1  # and one in the legend
    command = "causal --step=masked --quiet --heatmap --color=always".split()
    grounds = re.findall(r"48;2;(\d+);(\d+);(\d+)m +\d", ok(*command, COLORTERM="truecolor"))
    assert len(grounds) == 21
    coloured = [fill for fill in fills if fill.startswith("#") and fill != "#ffffff"]
    assert coloured[1:] == ["#%02x%02x%02x" % (*map(int, ground),) for ground in grounds]


def test_a_picture_keeps_tokens_inert_and_short():
    step = "causal", "--step=attn_weights", "--input=-"
    tokens = "</text><script>alert(1)</script>", "\x1b[2J]]>&amp;\"'\uffff\u202e"
    root, texts = picture(*step, stdin=lesson(*tokens))
    names = "svg title desc defs linearGradient stop pattern path rect text".split()
    assert {element.tag for element in root.iter()} == {SVG + name for name in names}
    assert "</text><scrip…" in texts
    root, _ = picture(*step, stdin=lesson("one" * 300, "two" * 300))
    description = root.find(SVG + "desc").text
    assert " oneone" in description and "… " in description and len(description) < 1000


@pytest.mark.parametrize("stage", ["causal", "multi-head", "encoder-decoder", "simplified"])
def test_pictures_of_every_step_lie_within_their_frame(stage):
    for step in trace(stage)["steps"]:
        if step["shape"]:
            root, _ = picture(stage, f"--step={step['name']}")
            for element in [*root.iter(SVG + "rect"), *root.iter(SVG + "text")]:
                for at, size in (("x", "width"), ("y", "height")):
                    assert int(element.get(at, 0)) + int(element.get(size, 0)) <= int(root.get(size))
