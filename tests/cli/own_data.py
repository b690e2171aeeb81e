"""The user's own tokens and weights, in files of NumPy and of models."""

import json

from program import LESSON, run, trace

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]


def file(folder, content):
    path = folder / "own.json"
    path.write_text(json.dumps(content))
    return path


def test_own_tokens_are_a_batch_of_one_unless_more_are_asked_for(tmp_path):
    lesson = file(tmp_path, LESSON)
    for stage in ("causal-batch", "multi-head", "multi-head-wrapper"):
        for arguments, batch in (
            ([], 2),
            ([f"--input={lesson}"], 1),
            ([f"--input={lesson}", "--batch=3"], 3),
        ):
            assert trace(stage, *arguments)["parameters"]["batch"] == batch, (stage, arguments)


def test_errata_are_of_the_documents_numbers(tmp_path):
    lesson = file(tmp_path, LESSON)
    assert (
        "\nErrata in the documents: 3; attn-walkthrough errata multi-head-wrapper shows\nthem.\n"
        in run("multi-head-wrapper").stdout
    )
    for arguments in ([], ["--out=-.html"], ["--out=-.md"]):
        assert "Errat" not in run("multi-head-wrapper", f"--input={lesson}", *arguments).stdout, arguments


def test_the_projections_of_one_head(tmp_path):
    weights = file(tmp_path, {f"{name}_proj.weight": ROWS for name in "qkv"})
    own = trace("causal", f"--weights={weights}", "--step=W_key")
    assert (own["steps"][0]["data"], own["parameters"]["d_out"]) == (ROWS, 2)


def test_what_is_advised_about_heads_works(tmp_path):
    model = file(tmp_path, {f"layers.0.{name}_proj.weight": ROWS for name in "qkv"})
    answer = run("causal", f"--weights={model}")
    assert (answer.returncode, answer.stderr.endswith("give --heads N and --head K.\n")) == (
        2,
        True,
    ), answer.stderr
    assert trace("causal", f"--weights={model}", "--heads=2", "--head=1")["parameters"]["d_out"] == 1
