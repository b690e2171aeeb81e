"""The page's data, and effects of certain combinations of options. Argument: the program."""

import base64
import hashlib
import json
import pathlib
import re
import tempfile
import unittest

from program import LESSON, on_terminal, run

WEIGHTS = {
    f"W_{name}.weight": rows
    for name, rows in (("query", [[1, 2], [0, 1]]), ("key", [[3, 0], [1, 1]]), ("value", [[1, 0], [0, 4]]))
}


def lesson(tokens, width=2):
    return json.dumps(
        {
            "tokens": tokens,
            "embeddings": [[(7 * i + 3 * j) % 5 / 4 for j in range(width)] for i in range(len(tokens))],
        }
    )


class Pages(unittest.TestCase):
    def page(self, *arguments, **more):
        answer = run(*arguments, "--out=-.html", **more)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        (data,) = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', answer.stdout, re.S)
        return answer.stdout, json.loads(data)

    def variants(self, stage):
        return [run["id"] for run in stage["runs"][1:]]

    def test_variants_are_of_the_weights_that_were_brought(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "weights.json")
            path.write_text(json.dumps(WEIGHTS))
            _, data = self.page(
                "simplified",
                "causal",
                "--dropout=0",
                "--input=-",
                "--weights",
                str(path),
                stdin=json.dumps(LESSON),
            )
            simplified, causal = data["stages"]
            self.assertEqual((self.variants(simplified), self.variants(causal)), ([], ["mask", "scaling"]))
            inputs = pathlib.Path(folder, "lesson.json")
            inputs.write_text(json.dumps(LESSON))
            _, data = self.page(
                "causal", "--dropout=0", "--input", str(inputs), "--weights=-", stdin=json.dumps(WEIGHTS)
            )
            self.assertEqual(data["stages"][0], causal)  # standard input is read once, and used for all walks

    def test_a_variant_is_only_where_something_differs(self):
        _, data = self.page("causal", "--dropout=0", "--input=-", stdin=lesson(["alone"]))
        self.assertEqual(self.variants(data["stages"][0]), [])
        _, data = self.page("causal", "--dropout=0", "--step=attn_scores")
        self.assertEqual(self.variants(data["stages"][0]), [])
        _, data = self.page("trainable", "--focus=step")
        self.assertEqual(self.variants(data["stages"][0]), ["scaling"])

    def test_several_stages_have_a_title_of_their_own(self):
        text, data = self.page("causal", "linear")
        self.assertEqual([stage["name"] for stage in data["stages"]], ["causal", "linear"])
        (alone,) = re.findall("<title>(.*?)</title>", self.page("causal")[0])
        (both,) = re.findall("<title>(.*?)</title>", text)
        self.assertNotEqual(alone, both)

    def test_the_policy_names_the_fingerprints_of_the_pages_own_script_and_style(self):
        page = run("causal", "--out=-.html").stdout
        style, script = (page.split(f"<{tag}>")[1].split(f"</{tag}>")[0] for tag in ("style", "script"))
        hashes = [
            base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)
        ]
        policy = "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; "
        policy += "base-uri 'none'; form-action 'none'"
        self.assertIn(f'Content-Security-Policy" content="{policy.format(*hashes)}"', page)

    def test_of_a_long_lesson_the_first_rows_are_shown_and_their_arithmetic_is_shipped(self):
        _, data = self.page("causal", "--dropout=0", "--input=-", stdin=lesson([str(i) for i in range(140)]))
        (run,) = data["stages"][0]["runs"]
        steps = {step["name"]: step for step in run["steps"]}
        scores, context = steps["attn_scores"], steps["context_vec"]
        self.assertEqual(
            (scores["shape"], scores["shown"], len(base64.b64decode(scores["data"]))),
            ([140, 140], [32, 32], 4 * 1024),
        )
        (((_, pieces),),) = context["arithmetic"]["patterns"]
        self.assertEqual((len(pieces), pieces[4]), (6, 135))

    def test_64_tokens_and_4_heads_are_a_page_of_1_5_MB(self):
        page, _ = self.page(
            "multi-head", "--heads=4", "--d-out=8", "--input=-", stdin=lesson([f"w{i}" for i in range(64)], 4)
        )
        self.assertLess(len(page), 1.5e6)


class Mixtures(unittest.TestCase):
    def test_every_table_of_one_step(self):
        answer = run("all", "compare", "--step=attn_weights_causal")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual(
            {line.split()[1] for line in answer.stdout.split("\n\n")[0].splitlines()}, {"attn_weights_causal"}
        )

    def test_a_terminal_that_does_not_say_its_width_has_that_of_a_pipe(self):
        self.assertEqual(on_terminal(0, "walk", "--help"), run("walk", "--help").stdout)

    def test_a_tree_tells_a_cell_once_and_names_it_from_then_on(self):
        tree = json.loads(run("causal", "explain", "context_vec[journey][0]", "--depth=9", "--json=-").stdout)
        told, named = set(), 0

        def visit(cell):
            nonlocal named
            key = (cell["step"], tuple(cell["index"]))
            named += "lines" not in cell
            self.assertEqual(key in told, "lines" not in cell, key)
            told.add(key)
            for one in cell.get("from", []):
                visit(one)

        visit(tree["explanation"])
        self.assertGreater(named, 5)

    def test_a_quiz_may_be_of_all_stages(self):
        answer = run("quiz", "all", stdin="")
        self.assertEqual((answer.returncode, answer.stderr), (1, ""))
        self.assertIn("1 of 10 · ", answer.stdout)


if __name__ == "__main__":
    unittest.main()
