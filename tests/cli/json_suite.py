"""Every shape of JSON and of what is none goes through the loader. Arguments: the program, the oracle's probe.

The parser is held against the table in json_cases.py, and on top of it, for texts that were damaged at random, against
Python's reader; then the same texts go through the program, as they are and inside an otherwise right file.
"""

import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import unittest

from program import PROGRAM, environment
from json_cases import ACCEPTED, DECIDED, REFUSED

PROBE = sys.argv.pop(1)
VERDICTS = [*((text, True) for text in ACCEPTED), *((text, False) for text in REFUSED), *((text, accepted) for text, accepted, _ in DECIDED)]
PLACE = r"(\d+:\d+: [^\n]+\n  [^\n]*\n  +\^|( at /[^\n]*: |\s)[^\n]+)"  # line, column, the line and a caret; or a pointer, which the root has not
LESSON = b'{"tokens": ["a", "b"], "embeddings": [[1.5, 2], [3, 4.25]]}'


def parse(texts):
    """What the parser says to each."""
    commands = "".join(f"json {text.hex() or '-'}\n" for text in texts)
    answer = subprocess.run([PROBE], input=commands, capture_output=True, encoding="utf-8", check=True)
    answers = answer.stdout.split("\n\x1e\n")[:-1]
    assert len(answers) == len(texts)
    return answers


def python_accepts(text):
    """What Python's reader says, made as strict as ours where RFC 8259 leaves the choice."""

    def refuse(_):
        raise ValueError

    def unique(pairs):
        return dict(pairs) if len({key for key, _ in pairs}) == len(pairs) else refuse(pairs)

    def number(digits):
        return float(digits) if abs(float(digits)) != float("inf") else refuse(digits)

    try:
        decoded = text.decode("utf-8")
        value = json.loads(decoded.removeprefix("\ufeff"), parse_constant=refuse, parse_float=number, parse_int=number, object_pairs_hook=unique)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # not for halves of surrogate pairs
        return True
    except (ValueError, RecursionError):
        return False


def depth(text):
    return max((text[:i].count(b"[") + text[:i].count(b"{") - text[:i].count(b"]") - text[:i].count(b"}") for i in range(len(text) + 1)), default=0)


class Parser(unittest.TestCase):
    def test_every_shape_is_accepted_or_refused_as_the_table_says(self):
        self.assertGreater(len(VERDICTS), 318)  # as many as JSONTestSuite has
        self.assertEqual(len(VERDICTS), len({text for text, _ in VERDICTS}))
        for (text, accepted), answer in zip(VERDICTS, parse([text for text, _ in VERDICTS])):
            with self.subTest(text=text[:60]):
                self.assertEqual(answer == "accepted", accepted, answer)
                if not accepted:
                    self.assertRegex(answer, rf"^text:{PLACE}$")

    def test_python_agrees_with_the_table(self):
        for text, accepted in VERDICTS:
            if depth(text[:200]) <= 32:
                self.assertEqual(python_accepts(text), accepted, text)

    def test_every_beginning_of_a_text_but_all_of_it_is_refused(self):
        beginnings = [LESSON[:length] for length in range(len(LESSON))]
        for text, answer in zip(beginnings, parse(beginnings)):
            self.assertRegex(answer, rf"^text:{PLACE}$", text)

    def test_python_agrees_on_texts_damaged_at_random(self):
        rng = random.Random(8259)
        pieces = [b"[", b"]", b"{", b"}", b",", b":", b'"', b"\\", b"\\u", b"d800", b"dc00", b"0", b"-", b"+", b".", b"e", b"E5", b"e999", b"true", b"null", b"NaN", b" ", b"\n", b"\t"]
        pieces += [b"\0", b"\x1b", b"\x7f", b"\x80", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b'"a":1', b"//", b"'", b"\x0c", b"\xc2\xa0"]
        right = [text for text in ACCEPTED if len(text) < 200] + [LESSON]
        texts = []
        for _ in range(6000):
            text = rng.choice(right)
            for _ in range(rng.randint(1, 3)):
                at = rng.randint(0, len(text))
                text = text[:at] + rng.choice([b"", rng.choice(pieces)]) + text[at + rng.randint(0, 2) :]
            texts.append(text)
        accepted = 0
        for text, answer in zip(texts, parse(texts)):
            self.assertEqual(answer == "accepted", python_accepts(text), (text, answer))
            accepted += answer == "accepted"
        self.assertGreater(accepted, 600)
        self.assertLess(accepted, 5400)


class Program(unittest.TestCase):
    def run_all(self, arguments, texts):
        def one(text):
            return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, env=environment(), timeout=600)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(one, texts))

    def refused(self, answer, text):
        self.assertEqual((answer.returncode, answer.stdout), (2, b""), text[:60])
        self.assertRegex(answer.stderr.decode(), rf"^attn-walkthrough: standard input:({PLACE}| is empty; [^\n]+)\n$", text[:60])

    def test_as_a_lesson(self):
        answers = self.run_all(["causal", "--input=-"], [text for text, _ in VERDICTS])
        for (text, accepted), answer in zip(VERDICTS, answers):
            self.refused(answer, text)  # none of them is a lesson
            if accepted:
                self.assertRegex(answer.stderr.decode(), r'expected an object but found|the key "tokens" is missing|unknown key', text)

    def test_as_weights(self):
        answers = self.run_all(["causal", "--weights=-"], [text for text, _ in VERDICTS])
        for (text, accepted), answer in zip(VERDICTS, answers):
            if accepted:
                self.assertEqual((answer.returncode, answer.stdout), (2, b""), text)
                self.assertRegex(answer.stderr.decode(), r"^attn-walkthrough: standard input: ")
            else:
                self.refused(answer, text)

    def test_as_the_tokens_of_a_lesson(self):
        lessons = [b'{"embeddings": [[1.5]], "tokens": ' + text.removeprefix(b"\xef\xbb\xbf") + b"}" for text, _ in VERDICTS]
        answers = self.run_all(["simplified", "--input=-", "--json=-", "--step=attn_scores"], lessons)
        walked = 0
        for lesson, (text, accepted), answer in zip(lessons, VERDICTS, answers):
            if answer.returncode == 0:
                self.assertTrue(accepted, text)
                self.assertEqual(json.loads(answer.stdout)["tokens"], json.loads(lesson)["tokens"])
                walked += 1
            else:
                self.refused(answer, text)
        self.assertGreaterEqual(walked, 45)

    def test_as_a_row_of_a_lesson(self):
        lessons = [b'{"tokens": ["a"], "embeddings": [' + text.removeprefix(b"\xef\xbb\xbf") + b"]}" for text, _ in VERDICTS]
        answers = self.run_all(["simplified", "--input=-", "--json=-", "--step=inputs"], lessons)
        walked = 0
        for lesson, (text, accepted), answer in zip(lessons, VERDICTS, answers):
            if answer.returncode == 0:
                self.assertTrue(accepted, text)
                (row,) = json.loads(answer.stdout)["stages"][0]["steps"][0]["data"]
                (given,) = json.loads(lesson)["embeddings"]
                self.assertEqual(len(row), len(given))
                for ours, theirs in zip(row, given):
                    self.assertLessEqual(abs(ours - theirs), 6e-8 * abs(theirs) + 1e-45, text)
                walked += 1
            else:
                self.refused(answer, text)
        self.assertGreaterEqual(walked, 20)

    def test_as_what_somebody_pasted(self):
        """What begins as JSON does is read as JSON, or as the numbers of a text where it is only nearly JSON."""
        begins = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*[\"}]|\[\s*\{)")
        texts = [text for text, _ in VERDICTS if begins.match(text)]
        self.assertGreater(len(texts), 50)
        read = 0
        for text, answer in zip(texts, self.run_all(["diagnose", "-"], texts)):
            if answer.returncode == 2:
                self.refused(answer, text)
            else:
                self.assertIn(answer.returncode, (0, 1), text)
                self.assertIn(b"shape (", answer.stdout, text)
                read += 1
        self.assertTrue(0 < read < 10, read)  # nearly none of them holds a number


if __name__ == "__main__":
    unittest.main()
