"""The choice of the program's language, and its Chinese output."""

import json
import re
import unicodedata

import pytest

from program import COMMANDS, ok, run, stages

ENGLISH, CHINESE = "causal · Causal attention\n", "causal · 因果注意力\n"


def width(text):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


@pytest.mark.parametrize("line, expected, variables", [
    (line, expected, dict(one.split("=") for one in variables.split()))
    for line, expected, variables in (
        ("causal", ENGLISH, ""), ("causal", CHINESE, "LANG=zh_CN.UTF-8"), ("causal", CHINESE, "LANG=zh_CN"),
        ("causal", CHINESE, "LANG=zh_TW.UTF-8"), ("causal", CHINESE, "LANG=zh"),
        ("causal", CHINESE, "LANG=zh@pinyin"), ("causal", CHINESE, "LANG=zh.UTF-8"),
        ("causal", ENGLISH, "LANG=zhx"), ("causal", ENGLISH, "LANG=en_US.UTF-8"),
        ("causal", ENGLISH, "LANG=C.UTF-8"), ("causal", ENGLISH, "LANG=de_CH.UTF-8"),
        ("causal", CHINESE, "LC_MESSAGES=zh_CN.UTF-8 LANG=en_US.UTF-8"),
        ("causal", ENGLISH, "LC_MESSAGES=en_US.UTF-8 LANG=zh_CN.UTF-8"),
        ("causal", CHINESE, "LC_ALL=zh_CN.UTF-8 LC_MESSAGES=en_US.UTF-8 LANG=C"),
        ("causal", ENGLISH, "LC_ALL=C LC_MESSAGES=zh_CN.UTF-8 LANG=zh_CN.UTF-8"),
        ("causal", CHINESE, "LC_ALL= LC_MESSAGES= LANG=zh_CN.UTF-8"),
        ("causal", CHINESE, "LC_ALL= LC_MESSAGES=zh_CN.UTF-8 LANG=en_US"),
        ("causal", ENGLISH, "LANG="), ("causal", ENGLISH, "LC_CTYPE=zh_CN.UTF-8"),
        # Chinese is written in UTF-8 or not at all.
        ("causal", ENGLISH, "LANG=zh_CN.GBK"), ("causal", ENGLISH, "LANG=zh_CN.GB18030"),
        ("causal", ENGLISH, "LC_ALL=zh_TW.Big5 LANG=zh_CN.UTF-8"),
        ("causal", ENGLISH, "LANG=zh_CN.GBK@pinyin"), ("causal", CHINESE, "LANG=zh_CN.utf8"),
        ("causal", CHINESE, "LANG=zh_CN.UTF8@pinyin"),
        # The option wins.
        ("causal --lang=zh", CHINESE, "LANG=zh_CN.GBK"), ("causal --lang zh", CHINESE, "LC_ALL=en_US.UTF-8"),
        ("causal --lang=en", ENGLISH, "LC_ALL=zh_CN.UTF-8"),
    )
])  # fmt: skip
def test_the_language_is_chosen(line, expected, variables):
    assert ok(line, **variables).startswith(expected)


@pytest.mark.parametrize("text", ["de", "ZH", "zh_CN", "cn", "chinese"])
def test_a_language_that_there_is_not(text):
    answer = run("causal --lang", text)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == f'attn-walkthrough: --lang: expected en|zh but received "{text}".\n'


def test_tensors_and_code_are_the_same():
    def session(text):
        return [line for line in text.splitlines() if line.startswith((">>>", "...", "tensor(", " "))]

    english, chinese = (run("--stage all --lang", language).stdout for language in ("en", "zh"))
    assert len(session(english)) > 1500
    assert session(chinese) == session(english)
    assert ok("causal --quiet --lang=zh") == ok("causal --quiet")


def test_the_json_differs_in_titles_and_notes_alone():
    texts = 0
    for english, chinese in zip(*(stages("all", f"--lang={one}") for one in ("en", "zh")), strict=True):
        assert english.pop("title") != chinese.pop("title")
        for ours, theirs in zip(english["steps"], chinese["steps"], strict=True):
            for key in ("title", "note"):
                assert ours.pop(key) != theirs.pop(key)
                texts += 1
        assert english == chinese
    assert texts > 300


def test_prose_fills_the_lines_and_fits_them():
    lines = ok("--stage all --lang zh").splitlines()
    prose = [
        line
        for line in lines
        if any("\u4e00" <= character <= "\u9fff" for character in line)
        and not line.startswith((">>>", "..."))
    ]
    assert [line for line in prose if width(line) > 80] == []
    assert sum(width(line) >= 76 for line in prose) > 200
    assert [line for line in prose if line[0] in "，。：；、）！？”"] == []


def test_a_full_stop_has_its_own_space():
    explained = ok("causal explain attn_weights_dropped[4][1] --depth=9 --lang=zh")
    asked = run("causal quiz --count=3 --lang=zh", stdin="x\ny\nz\n").stdout
    nearest = run(
        "causal diagnose - --as=attn_weights_causal --lang=zh",
        stdin=json.dumps([[0.3] * 6] * 6),
    ).stdout
    assert "第 1 行，形状 (6, 6)：没有已知的解释" in nearest
    for text in (ok("all --lang=zh"), ok("errata --lang=zh"), explained, asked, nearest):
        assert "。" in text
        assert not re.search("[。；！？] +[^ ]", text)


def test_the_walkthrough_reads_as_it_should():
    text = ok("causal --lang zh")
    assert "── 为什么要掩码 ──\n" in text
    assert "\n接下来可以试试：" in text
    assert "各行：0 Your, 1 journey, 2 starts, 3 with, 4 one, 5 step\n" in text
    assert "causal 10/20 · mask_simple\n谁可以看谁\n对角线及其下方为 1：第 i 行可以看位置 0 到 i。这就是图 3.19 中的三角形。\nM_ij = 1" in text
    long = {"tokens": ["x"] * 40, "embeddings": [[float(i), 1.0] for i in range(40)]}
    text = run("causal --input=- --step=inputs --code=torch --lang=zh", stdin=json.dumps(long)).stdout
    assert "还有 8 个\n" in text
    assert "...      … 还有 34 行；--json 给出全部\n" in text


def test_lists_and_comparisons():
    errata = ok("multi-head-wrapper errata --lang=zh")
    assert "multi-head-wrapper · context_vec\n勘误：文档 002 用 dim=1 拼接各个头。它印出的形状 (2, 6, 4) 需要 dim=-1；" in errata
    assert "勘误：该书公开的习题答案给出的练习 3.2 的答案" in errata
    assert "勘误：文档 000 和 002 对同样的种子" in ok("causal errata --lang=zh")
    listed = ok("list --lang=zh").splitlines()
    assert [line for line in listed if line.endswith("：")] == ["文档中的阶段：", "从别的角度看：", "接下来："]
    assert listed[10][:25] == "causal                 因果"
    assert listed[11] == " " * 23 + "文档 000；001；002 第 4 部分 2.4（1）至（3）；004"
    assert listed[12].startswith(" " * 23 + "新增：掩码，"), listed[12]
    assert "  000  讲因果注意力的一节" in "\n".join(listed)
    compared = ok("causal compare --lang=zh").split("\n\n")[0].splitlines()
    assert compared[0] == "000 attn_weights          180/180 位数字一致（36 个数），最大差 4.9e-05"
    assert {(line[24:26].strip(), line[26].isdigit()) for line in compared} == {("", True)}
    assert "用其他参数时，各文档印出：\n" in ok("causal compare --seed=123 --lang=zh")


def test_the_help_is_in_the_reader_s_language():
    all_help = [f"{name} --help-all" for name in COMMANDS if name not in ("completion", "man")]
    for line in ("-h", "help causal", "help complexity", *all_help):
        text = ok(line, LANG="zh_CN.UTF-8")
        assert text == ok(line, "--lang=zh")
        for entry in re.split(r"\n(?= ? ?\S)", text):
            assert re.search("[\u4e00-\u9fff]", entry), line
        assert [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")] == []
        assert max(map(width, text.splitlines())) <= 80
    assert "\nUsage: attn-walkthrough" in run("--help", LANG="zh_CN.GBK").stdout


def test_messages_are_in_the_reader_s_language():
    chinese = 'attn-walkthrough: 没有叫 "causl" 的阶段或命令。是不是 "causal"？'
    english = 'attn-walkthrough: there is no stage or command "causl". Did you mean "causal"?'
    for message, line, variables in (
        (chinese, "causl --lang zh", {}),
        (chinese, "causl --lang=zh", {"LANG": "en_US.UTF-8"}),
        (chinese, "causl", {"LC_ALL": "zh_CN.UTF-8"}),
        (english, "causl --lang en", {"LANG": "zh_CN.UTF-8"}),
        (english, "causl", {}),
        (english, "causl", {"LANG": "zh_CN.GBK"}),
    ):
        answer = run(line, **variables)
        assert (answer.returncode, answer.stdout) == (2, "") and answer.stderr.startswith(message), answer
    # Quoted text and names of files are not translated.
    for name in ("Numbers", "a or b.json", "expected 1 to 2"):
        assert f"attn-walkthrough: {name}：" in run("causal --lang=zh --input", name).stderr
    assert (
        '--seed：应为 0 到 18446744073709551615 的整数，但得到 "expected a whole number"。'
        in run("causal --lang=zh", "--seed=expected a whole number").stderr
    )
