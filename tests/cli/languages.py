"""The choice of the program's language, and its Chinese output."""

import json
import re
import unicodedata
import unittest

from program import COMMANDS, LESSON, run

ENGLISH, CHINESE = "causal · Causal attention\n", "causal · 因果注意力\n"


def width(text):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


class Languages(unittest.TestCase):
    def test_the_first_variable_that_is_set_decides(self):
        for variables, expected in (
            ({}, ENGLISH),
            ({"LANG": "zh_CN.UTF-8"}, CHINESE),
            ({"LANG": "zh_CN"}, CHINESE),
            ({"LANG": "zh_TW.UTF-8"}, CHINESE),
            ({"LANG": "zh"}, CHINESE),
            ({"LANG": "zh@pinyin"}, CHINESE),
            ({"LANG": "zh.UTF-8"}, CHINESE),
            ({"LANG": "zhx"}, ENGLISH),
            ({"LANG": "en_US.UTF-8"}, ENGLISH),
            ({"LANG": "C.UTF-8"}, ENGLISH),
            ({"LANG": "de_CH.UTF-8"}, ENGLISH),
            ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, CHINESE),
            ({"LC_MESSAGES": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, ENGLISH),
            ({"LC_ALL": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8", "LANG": "C"}, CHINESE),
            ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"}, ENGLISH),
            ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_CN.UTF-8"}, CHINESE),
            ({"LC_ALL": "", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US"}, CHINESE),
            ({"LANG": ""}, ENGLISH),
            ({"LC_CTYPE": "zh_CN.UTF-8"}, ENGLISH),
        ):
            assert run("causal", **variables).stdout.startswith(expected), variables

    def test_chinese_is_written_in_utf_8_or_not_at_all(self):
        for variables in (
            {"LANG": "zh_CN.GBK"},
            {"LANG": "zh_CN.GB18030"},
            {"LC_ALL": "zh_TW.Big5", "LANG": "zh_CN.UTF-8"},
            {"LANG": "zh_CN.GBK@pinyin"},
        ):
            assert run("causal", **variables).stdout.startswith(ENGLISH), variables
            assert run("causal", "--lang=zh", **variables).stdout.startswith(CHINESE)
        for variables in ({"LANG": "zh_CN.utf8"}, {"LANG": "zh_CN.UTF8@pinyin"}):
            assert run("causal", **variables).stdout.startswith(CHINESE), variables

    def test_the_option_wins(self):
        assert run("causal", "--lang", "zh", LC_ALL="en_US.UTF-8").stdout.startswith(CHINESE)
        assert run("causal", "--lang=en", LC_ALL="zh_CN.UTF-8").stdout.startswith(ENGLISH)
        for text in ("de", "ZH", "zh_CN", "cn", "chinese"):
            answer = run("causal", "--lang", text)
            assert (answer.returncode, answer.stdout) == (2, "")
            assert answer.stderr == f'attn-walkthrough: --lang: expected en|zh but received "{text}".\n'

    def test_tensors_and_code_are_the_same(self):
        def session(text):
            return [line for line in text.splitlines() if line.startswith((">>>", "...", "tensor(", " "))]

        english, chinese = (run("--stage", "all", "--lang", language).stdout for language in ("en", "zh"))
        assert len(session(english)) > 1500
        assert session(chinese) == session(english)
        assert run("causal", "--quiet", "--lang=zh").stdout == run("causal", "--quiet").stdout

    def test_the_json_differs_in_titles_and_notes_alone(self):
        stages = [
            json.loads(run("--stage=all", "--json=-", f"--lang={language}").stdout)["stages"]
            for language in ("en", "zh")
        ]
        texts = 0
        for english, chinese in zip(*stages, strict=True):
            assert english.pop("title") != chinese.pop("title")
            for ours, theirs in zip(english["steps"], chinese["steps"], strict=True):
                for key in ("title", "note"):
                    assert ours.pop(key) != theirs.pop(key)
                    texts += 1
            assert english == chinese
        assert texts > 300

    def test_prose_fills_the_lines_and_fits_them(self):
        lines = run("--stage", "all", "--lang", "zh").stdout.splitlines()
        prose = [
            line
            for line in lines
            if any("\u4e00" <= character <= "\u9fff" for character in line)
            and not line.startswith((">>>", "..."))
        ]
        assert [line for line in prose if width(line) > 80] == []
        assert sum(width(line) >= 76 for line in prose) > 200
        assert [line for line in prose if line[0] in "，。：；、）！？”"] == []

    def test_a_full_stop_has_its_own_space(self):
        explained = run("causal", "explain", "attn_weights_dropped[4][1]", "--depth=9", "--lang=zh").stdout
        asked = run("causal", "quiz", "--count=3", "--lang=zh", stdin="x\ny\nz\n").stdout
        nearest = run(
            "causal",
            "diagnose",
            "-",
            "--as=attn_weights_causal",
            "--lang=zh",
            stdin=json.dumps([[0.3] * 6] * 6),
        ).stdout
        assert "第 1 行，形状 (6, 6)：没有已知的解释" in nearest
        for text in (
            run("--stage=all", "--lang=zh").stdout,
            run("errata", "--lang=zh").stdout,
            explained,
            asked,
            nearest,
        ):
            assert "。" in text
            assert not re.search("[。；！？] +[^ ]", text)

    def test_the_walkthrough_reads_as_it_should(self):
        text = run("causal", "--lang", "zh").stdout
        assert "── 为什么要掩码 ──\n" in text
        assert "\n接下来可以试试：" in text
        assert "各行：0 Your, 1 journey, 2 starts, 3 with, 4 one, 5 step\n" in text
        assert (
            "causal 10/20 · mask_simple\n谁可以看谁\n对角线及其下方为 1：第 i 行可以看位置 0 到 i。这就是图 3.19 中的三角形。\nM_ij = 1"
            in text
        )
        long = {"tokens": ["x"] * 40, "embeddings": [[float(i), 1.0] for i in range(40)]}
        text = run(
            "causal", "--input=-", "--step=inputs", "--code=torch", "--lang=zh", stdin=json.dumps(long)
        ).stdout
        assert "还有 8 个\n" in text
        assert "...      … 还有 34 行；--json 给出全部\n" in text

    def test_lists_and_comparisons(self):
        errata = run("multi-head-wrapper", "errata", "--lang=zh").stdout
        assert (
            "multi-head-wrapper · context_vec\n勘误：文档 002 用 dim=1 拼接各个头。它印出的形状 (2, 6, 4) 需要 dim=-1；" in errata
        )
        assert "勘误：该书公开的习题答案给出的练习 3.2 的答案" in errata
        assert "勘误：文档 000 和 002 对同样的种子" in run("causal", "errata", "--lang=zh").stdout
        listed = run("list", "--lang=zh").stdout.splitlines()
        assert [line for line in listed if line.endswith("：")] == ["文档中的阶段：", "从别的角度看：", "接下来："]
        assert listed[10][:25] == "causal                 因果"
        assert listed[11] == " " * 23 + "文档 000；001；002 第 4 部分 2.4（1）至（3）；004"
        assert listed[12].startswith(" " * 23 + "新增：掩码，"), listed[12]
        assert "  000  讲因果注意力的一节" in "\n".join(listed)
        compared = run("causal", "compare", "--lang=zh").stdout.split("\n\n")[0].splitlines()
        assert compared[0] == "000 attn_weights          180/180 位数字一致（36 个数），最大差 4.9e-05"
        assert {(line[24:26].strip(), line[26].isdigit()) for line in compared} == {("", True)}
        assert "用其他参数时，各文档印出：\n" in run("causal", "compare", "--seed=123", "--lang=zh").stdout

    def test_the_help_is_in_the_reader_s_language(self):
        for arguments in (
            ("-h",),
            ("help", "causal"),
            ("help", "complexity"),
            *((name, "--help-all") for name in COMMANDS if name not in ("completion", "man")),
        ):
            text = run(*arguments, LANG="zh_CN.UTF-8").stdout
            assert text == run(*arguments, "--lang=zh").stdout
            for entry in re.split(r"\n(?= ? ?\S)", text):
                assert re.search("[\u4e00-\u9fff]", entry), arguments
            assert [
                line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")
            ] == []
            assert max(map(width, text.splitlines())) <= 80
        assert "\nUsage: attn-walkthrough" in run("--help", LANG="zh_CN.GBK").stdout

    def test_messages_are_in_the_reader_s_language(self):
        for arguments, variables in (
            (["--lang", "zh"], {}),
            (["--lang=zh"], {"LANG": "en_US.UTF-8"}),
            ([], {"LC_ALL": "zh_CN.UTF-8"}),
        ):
            answer = run("causl", *arguments, **variables)
            assert (answer.returncode, answer.stdout) == (2, "")
            assert answer.stderr.startswith(
                'attn-walkthrough: 没有叫 "causl" 的阶段或命令。是不是 "causal"？'
            ), answer.stderr
        for arguments, variables in (
            (["--lang", "en"], {"LANG": "zh_CN.UTF-8"}),
            ([], {}),
            ([], {"LANG": "zh_CN.GBK"}),
        ):
            assert (
                'there is no stage or command "causl". Did you mean "causal"?'
                in run("causl", *arguments, **variables).stderr
            )
        # Quoted text and names of files are not translated.
        for name in ("Numbers", "a or b.json", "expected 1 to 2"):
            assert f"attn-walkthrough: {name}：" in run("causal", "--lang=zh", "--input", name).stderr
        assert (
            '--seed：应为 0 到 18446744073709551615 的整数，但得到 "expected a whole number"。'
            in run("causal", "--lang=zh", "--seed=expected a whole number").stderr
        )
