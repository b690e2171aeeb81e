"""The forms in which people paste a tensor: from terminals, notebooks, chats, spreadsheets and other
languages. The program reads each text as tests/pastes.json says. tests/unit/printed/pastes_test.cpp describes
the file.
"""

import json
import re

import pytest

from program import PROJECT, run

CORPUS = json.loads((PROJECT / "tests" / "pastes.json").read_text(encoding="utf-8"))
TABLES = CORPUS["tables"]
PASTES = [
    {"is": section} | paste if section in TABLES else paste
    for section, pastes in CORPUS["pastes"].items()
    for paste in pastes
]


def text_of(paste):
    rows = TABLES.get(paste.get("is"), [])
    tensor = "tensor([[" + "],\n        [".join(rows) + "]])"

    def repeated(place):
        lines = enumerate(zip(tensor.split("\n"), rows))
        return "\n".join(fill(place[0], i=i, n=i + 1, line=line, row=row) for i, (line, row) in lines)

    def fill(text, **places):
        for name, shown in places.items():
            text = text.replace(f"{{{name}}}", str(shown))
        return text

    text = paste["text"] if isinstance(paste["text"], str) else "\n".join(paste["text"])
    text = re.sub(r".*\{(line|row)\}.*", repeated, text)
    text = fill(text, tensor=tensor, rows="[" + "], [".join(rows) + "]")
    for old, new in paste.get("replace", {}).items():
        text = text.replace(old, new)
    return text


def shape(numbers):
    return [len(numbers), *shape(numbers[0])] if isinstance(numbers, list) else []


@pytest.mark.parametrize("paste", PASTES, ids=lambda paste: paste.get("form"))
def test_each_paste_is_read(paste):
    # Where no step is expected, a search for one step is enough.
    searched = "causal diagnose -" if "is" in paste else "head-split diagnose - --as=a"
    answer = run(f"{searched} --json=-", stdin=text_of(paste))
    if "refused" in paste:
        assert (answer.returncode, answer.stdout) == (2, "")
        assert answer.stderr.startswith("attn-walkthrough: standard input" + paste["refused"])
        return
    assert answer.returncode in ([1] if paste.get("leaves_out") else [0, 1]), answer.stderr
    report = json.loads(answer.stdout)
    assert report["skipped"] == paste.get("skipped", report["skipped"])
    expected = paste.get("tensors", [paste])
    assert len(report["tensors"]) == len(expected)
    for found, tensor in zip(report["tensors"], expected):
        if "numbers" in tensor:
            assert found["shape"] == shape(tensor["numbers"])
        for field in {"name", "place", "shape"} & {*tensor}:
            assert found[field] == tensor[field]
    if "is" in paste:
        matches = report["tensors"][0]["matches"]
        best = [match for match in matches if match["bits"] == matches[0]["bits"]]
        assert (paste["is"], []) in [(match["step"] + match["piece"], match["mistakes"]) for match in best]


def test_the_forms_have_different_names():
    forms = [paste["form"] for paste in PASTES if "form" in paste]
    assert len(PASTES) > 320 and len({*forms}) == len(forms)
