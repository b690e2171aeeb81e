"""The page's data: which variants it has, its policy, and how much of long lessons it shows."""

import base64
import hashlib
import json
import re

from program import LESSON, lesson, ok

WEIGHTS = {
    "W_query.weight": [[1, 2], [0, 1]], "W_key.weight": [[3, 0], [1, 1]], "W_value.weight": [[1, 0], [0, 4]]
}  # fmt: skip


def data(*arguments, stdin=""):
    text = ok(*arguments, "--out=-.html", stdin=stdin)
    (shipped,) = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.S)
    return json.loads(shipped)["stages"]


def variants(stage):
    return [run["id"] for run in stage["runs"][1:]]


def test_the_data_of_a_page_without_a_stage_are_those_of_causal():
    assert [stage["name"] for stage in json.loads(ok("page", "--step", "1"))["stages"]] == ["causal"]


def test_variants_are_of_the_weights_that_were_given(tmp_path):
    (tmp_path / "weights.json").write_text(json.dumps(WEIGHTS))
    (tmp_path / "lesson.json").write_text(json.dumps(LESSON))
    options = "--dropout=0", f"--weights={tmp_path}/weights.json"
    simplified, causal = data("simplified", "causal", *options, "--input=-", stdin=json.dumps(LESSON))
    assert (variants(simplified), variants(causal)) == ([], ["mask", "scaling"])
    # Standard input is read once, and used for all walks.
    options = "--dropout=0", f"--input={tmp_path}/lesson.json", "--weights=-"
    assert data("causal", *options, stdin=json.dumps(WEIGHTS)) == [causal]


def test_a_variant_is_only_where_something_differs():
    for arguments, expected in (
        ("causal --dropout=0 --input=-", []), ("causal --dropout=0 --step=attn_scores", []),
        ("trainable --focus=step", ["scaling"]),
    ):  # fmt: skip
        (stage,) = data(*arguments.split(), stdin=lesson("alone"))
        assert variants(stage) == expected


def test_several_stages_have_a_title_of_their_own():
    assert [stage["name"] for stage in data("causal", "linear")] == ["causal", "linear"]
    titles = [re.findall("<title>.*</title>", ok(*stages, "--out=-.html"))
              for stages in (["causal"], ["causal", "linear"])]  # fmt: skip
    assert titles[0] != titles[1] and [len(title) for title in titles] == [1, 1]
    assert data("causal", "--dropout-rng=mkl")  # whose mask is written out


def test_the_policy_names_the_fingerprints_of_the_pages_own_script_and_style():
    page = ok("causal --out=-.html")
    hashes = []
    for tag in ("style", "script"):
        text = page.split(f"<{tag}>")[1].split(f"</{tag}>")[0]
        hashes.append(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode())
    policy = "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action"
    assert f'Content-Security-Policy" content="{policy.format(*hashes)} \'none\'"' in page


def test_of_a_long_lesson_the_first_rows_are_shown_and_their_arithmetic_is_shipped():
    (stage,) = data("causal", "--dropout=0", "--input=-", stdin=lesson(*map(str, range(140))))
    (run,) = stage["runs"]
    found = {step["name"]: step for step in run["steps"]}
    scores = found["attn_scores"]
    assert (scores["shape"], scores["shown"], len(scores["cells"])) == ([140, 140], [32, 32], 1024)
    # Sums of more than 12 terms show the first four, the rest and the last one.
    label, pieces, _, _, remark = run["arithmetic"][found["context_vec"]["lines"][2 * 20][-1]]
    assert (label, sum(isinstance(piece, list) for piece in pieces)) == ("context_vec[20][0]", 10)
    assert "sum of 16 terms" in remark
