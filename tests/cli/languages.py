"""The choice of the program's language, and its Chinese output."""

import json
import re
import unicodedata

import pytest

from program import COMMANDS, ok, refuses, run, stages

ENGLISH, CHINESE = "causal · Causal attention\n", "causal · 因果注意力\n"


def width(text):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


# The first variable that is set decides. Chinese is written in UTF-8 or not at all.
@pytest.mark.parametrize("variables, expected", [
    *((variables, CHINESE) for variables in [
        "LANG=zh_CN.UTF-8", "LANG=zh_CN", "LANG=zh_TW.UTF-8", "LANG=zh", "LANG=zh@pinyin", "LANG=zh.UTF-8",
        "LC_MESSAGES=zh_CN.UTF-8 LANG=en_US.UTF-8", "LC_ALL=zh_CN.UTF-8 LC_MESSAGES=en_US.UTF-8 LANG=C",
        "LC_ALL= LC_MESSAGES= LANG=zh_CN.UTF-8", "LC_ALL= LC_MESSAGES=zh_CN.UTF-8 LANG=en_US",
        "LANG=zh_CN.utf8", "LANG=zh_CN.UTF8@pinyin",
    ]),
    *((variables, ENGLISH) for variables in [
        "", "LANG=zhx", "LANG=en_US.UTF-8", "LANG=C.UTF-8", "LANG=de_CH.UTF-8", "LANG=",
        "LC_MESSAGES=en_US.UTF-8 LANG=zh_CN.UTF-8", "LC_CTYPE=zh_CN.UTF-8",
        "LC_ALL=C LC_MESSAGES=zh_CN.UTF-8 LANG=zh_CN.UTF-8", "LANG=zh_CN.GBK", "LANG=zh_CN.GB18030",
        "LC_ALL=zh_TW.Big5 LANG=zh_CN.UTF-8", "LANG=zh_CN.GBK@pinyin",
    ]),
])  # fmt: skip
def test_the_environment_decides_and_the_option_wins(variables, expected):
    variables = dict(one.split("=") for one in variables.split())
    assert ok("causal", **variables).startswith(expected)
    assert ok("causal", "--lang=zh", **variables).startswith(CHINESE)
    assert ok("causal", "--lang", "en", **variables).startswith(ENGLISH)


@pytest.mark.parametrize("text", ["de", "zh_TW", "chinesisch"])
def test_other_languages_are_refused(text):
    refuses("causal", "--lang", text, message=f'--lang: expected en|zh but received "{text}".\n')


def test_tensors_and_code_are_the_same():
    def session(language):
        lines = ok("all", "--lang", language).splitlines()
        return [line for line in lines if line.startswith((">>>", "...", "tensor(", " "))]

    assert len(session("en")) > 1500
    assert session("zh") == session("en")
    assert ok("causal --quiet --lang=zh") == ok("causal --quiet")


def test_the_json_differs_in_titles_and_notes_alone():
    texts = 0
    for english, chinese in zip(stages("all"), stages("all", "--lang=zh"), strict=True):
        assert english.pop("title") != chinese.pop("title")
        for ours, theirs in zip(english["steps"], chinese["steps"], strict=True):
            for key in ("title", "note"):
                assert ours.pop(key) != theirs.pop(key)
                texts += 1
        assert english == chinese
    assert texts > 300


def test_prose_fills_the_lines_and_fits_them():
    lines = ok("all", "--lang=zh").splitlines()
    is_prose = lambda line: re.search("[\u4e00-\u9fff]", line) and not re.match(r">>>|\.\.\.|\S+ = ", line)
    prose = [line for line in lines if is_prose(line)]
    assert [line for line in prose if width(line) > 80 or line[0] in "，。：；、）！？”"] == []
    assert sum(width(line) >= 76 for line in prose) > 200


def test_a_full_stop_has_its_own_space():
    equal = json.dumps([[0.3] * 6] * 6)
    nearest = ok("causal diagnose - --as=attn_weights_causal --lang=zh", stdin=equal, code=1)
    assert "第 1 行，形状 (6, 6)：没有已知的解释" in nearest
    explain = "causal explain attn_weights_dropped[4][1] --depth=9"
    others = [ok(line, "--lang=zh") for line in ("all", "errata", explain)]
    for text in nearest, *others, run("causal quiz --count=3 --lang=zh", stdin="x\ny\nz\n").stdout:
        assert "。" in text
        assert not re.search("[。；！？] +[^ ]", text)


# A command line, and parts of what it shows in Chinese.
LONG = json.dumps({"tokens": ["x"] * 40, "embeddings": [[float(i), 1.0] for i in range(40)]})


@pytest.mark.parametrize("line, shown", [
    ("causal", ["── 为什么要掩码 ──\n", "\n接下来可以试试：",
                "各行：0 Your, 1 journey, 2 starts, 3 with, 4 one, 5 step\n",
                "causal 10/20 · mask_simple\n谁可以看谁\n对角线及其下方为 1：第 i 行可以看位置 0 到 i。这就是图 3.19 中的三角形。\nM_ij = 1"]),
    ("causal --input=- --step=inputs --code=torch",
     ["还有 8 个\n", "...      … 还有 34 行；--json 给出全部\n"]),
    ("multi-head-wrapper errata",
     ["multi-head-wrapper · context_vec\n勘误：文档 002 用 dim=1 拼接各个头。它印出的形状 (2, 6, 4) 需要 dim=-1；",
      "勘误：该书公开的习题答案给出的练习 3.2 的答案"]),
    ("causal errata", ["勘误：文档 000 和 002 对同样的种子", "  000  讲因果注意力的一节"]),
    ("list", ["文档中的阶段：\n", "\n从别的角度看：\n", "\n接下来：\n",
              "causal                 因果",
              f"\n{' ' * 23}书中位置：3.5.1, 3.5.2，图 3.19 至 3.22。\n{' ' * 23}新增：掩码，"]),
    ("causal compare", ["000 attn_weights          180/180 位数字一致（36 个数），最大差 4.9e-05\n"]),
    ("causal compare --seed=123", ["用其他参数时，各文档印出：\n"]),
])  # fmt: skip
def test_texts_read_as_they_should(line, shown):
    text = run(line, "--lang=zh", stdin=LONG if "--input" in line else "").stdout
    assert [part for part in shown if part not in text] == []


def test_comparisons_stand_in_columns():
    tables = ok("causal compare --lang=zh").split("\n\n")[0].splitlines()
    assert {(line[24:26].strip(), line[26].isdigit()) for line in tables} == {("", True)}


@pytest.mark.parametrize("line", [
    "-h", "help causal", "help complexity",
    *(f"{name} --help-all" for name in COMMANDS if name not in ("completion", "man")),
])  # fmt: skip
def test_the_help_is_in_the_reader_s_language(line):
    text = ok(line, LANG="zh_CN.UTF-8")
    assert text == ok(line, "--lang=zh")
    for entry in re.split(r"\n(?= ? ?\S)", text):
        assert re.search("[\u4e00-\u9fff]", entry)
    assert re.findall(r"(?m)^\S.*:$", text) == []
    assert max(map(width, text.splitlines())) <= 80


@pytest.mark.parametrize("variables, options, message", [
    *((variables, options, 'attn-walkthrough: 没有叫 "causl" 的阶段或命令。是不是 "causal"？') for variables, options in [
        ({}, ["--lang", "zh"]), ({"LANG": "en_US.UTF-8"}, ["--lang=zh"]), ({"LC_ALL": "zh_CN.UTF-8"}, [])]),
    *((variables, options, 'there is no stage or command "causl". Did you mean "causal"?')
      for variables, options in [
        ({"LANG": "zh_CN.UTF-8"}, ["--lang", "en"]), ({}, []), ({"LANG": "zh_CN.GBK"}, [])]),
])  # fmt: skip
def test_messages_are_in_the_reader_s_language(variables, options, message):
    refuses("causl", *options, message=message, **variables)


def test_quoted_text_and_names_of_files_are_not_translated():
    for name in ("Numbers", "a or b.json", "expected 1 to 2"):
        refuses("causal", "--lang=zh", "--input", name, message=f"attn-walkthrough: {name}：")
    message = '--seed：应为 0 到 18446744073709551615 的整数，但得到 "expected a whole number"。'
    refuses("causal", "--lang=zh", "--seed=expected a whole number", message=message)
