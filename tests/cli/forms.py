"""The forms in which people paste a step of causal: from terminals, notebooks, chats, spreadsheets and other
languages. The program recognises it in each. It refuses texts that cannot be read as a tensor.
tests/unit/printed/pastes_test.cpp describes tests/pastes.json, and reads all of its texts.
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


@pytest.mark.parametrize("paste", [one for one in PASTES if "is" in one], ids=lambda paste: paste["form"])
def test_each_paste_is_recognised(paste):
    answer = run("causal diagnose - --json=-", stdin=text_of(paste))
    assert answer.returncode in (0, 1), answer.stderr
    (tensor,) = json.loads(answer.stdout)["tensors"]
    matches = tensor["matches"]
    best = [match for match in matches if match["bits"] == matches[0]["bits"]]
    assert (paste["is"], []) in [(match["step"] + match["piece"], match["mistakes"]) for match in best]


@pytest.mark.parametrize("paste", [one for one in PASTES if "refused" in one])
def test_each_unreadable_paste_is_refused_with_its_message(paste):
    answer = run("diagnose -", stdin=text_of(paste))
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("attn-walkthrough: standard input" + paste["refused"])


def test_the_forms_have_different_names():
    forms = [paste["form"] for paste in PASTES if "form" in paste]
    assert len(PASTES) > 320 and len({*forms}) == len(forms)
