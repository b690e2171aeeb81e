"""Measures general edits: hides a third of the mistakes that they can express, and asks for these. This takes
some minutes, so only `python3 -m pytest tests/diagnosis/hidden.py -s` runs it."""

import collections
import json
import os
import random
import re
import subprocess

from oracle import torch
from program import BUILD
from reader import DROPOUT, JOURNEY, MISTAKES, Reader

SEED = int(os.environ.get("ATTN_HIDDEN_SEED", "49"))
SHARE = float(os.environ.get("ATTN_HIDDEN_SHARE", "0.34"))
UNRELATED = 600
LOCATED = 0.7
CONVINCING = -3  # bits of a mistake, as in costs.hpp
DOCUMENTS = {"simplified": (0, 2), "trainable": (123, 2), "linear": (789, 2), "causal": (789, 2),
             "causal-batch": (123, 2), "multi-head-wrapper": (123, 2), "multi-head": (123, 2)}  # fmt: skip
GENERAL = ("other-operand", "other-number", "other-operation", "call-left-out")


def parameters(stage, mistake, d_out):
    return {
        "drops": stage not in ("simplified", "trainable", "causal") and mistake in DROPOUT,
        "seed": DOCUMENTS[stage][0],
        "other_seed": 77,
        "d_in": 3,
        "d_out": d_out,
        "heads": 2,
        "batch": 2,
        "dropout": 0.5,
        "other_dropout": 0.2,
        "variant": 0,
    }


def answers(unknown, pastes):
    """Returns the best match of each paste: (stage, parameters, tensor)."""
    lines = "".join(
        f"{','.join(unknown) or '-'} {stage} {p['seed']} {p['d_out']} {p['heads']} "
        f"{p['dropout'] if p['drops'] or stage == 'causal' else 0} {str(x).encode().hex()}\n"
        for stage, p, x in pastes
    )
    probe = subprocess.run([BUILD / "attn-diagnosis-probe"], input=lines, capture_output=True, text=True)
    assert probe.returncode == 0, probe.stderr
    return [json.loads(line) for line in probe.stdout.splitlines()]


def tokens(line):
    return re.findall(r"\w+(?:\.\w+)*|\S", line)


def is_one_place(wrong, right):
    """Returns True if lines differ in one operand, number or operation, or in what was left out."""
    if "changed_inputs" in wrong or "manual_seed" in wrong:  # a new line, or a parameter
        return False
    lines = list(zip(wrong.split("\n"), right.split("\n")))
    for a, b in lines:
        a, b = tokens(a), tokens(b)
        while a and b and a[0] == b[0]:
            del a[0], b[0]
        while a and b and a[-1] == b[-1]:
            del a[-1], b[-1]
        if len(a) > 1:
            return False
    return wrong.count("\n") == right.count("\n") and bool(wrong)


def cases():
    """Returns (mistake, stage, parameters, step, tensor) of the first and the last step that changes."""
    made = []
    for stage, mistakes in MISTAKES.items():
        for mistake in mistakes:
            for d_out in (2, 4):
                p = parameters(stage, mistake, d_out)
                if mistake == "weights-not-transposed":
                    p["d_out"] = 3
                right = Reader(stage, p, "").run(JOURNEY)
                wrong = Reader(stage, p, mistake).run(JOURNEY)
                changed = [
                    name
                    for name, x in wrong.items()
                    if name not in right or x.shape != right[name].shape or str(x) != str(right[name])
                ]
                for step in dict.fromkeys([*changed[:1], *changed[-1:]]):
                    made.append((mistake, stage, p, step, wrong[step]))
    return made


def key(case):
    mistake, stage, p, step, _ = case
    return mistake, stage, p["d_out"], step


def pastes_of(made):
    return [(stage, p, x) for _, stage, p, _, x in made]


def unrelated(rng):
    """Returns tensors of plausible sizes that no walk of a stage makes."""
    torch.manual_seed(rng.randrange(2**32) + 20000)
    for i in range(UNRELATED):
        stage = rng.choice([*MISTAKES])
        p = parameters(stage, "", rng.choice([2, 4]))
        weights = torch.randn(6, 6).softmax(dim=-1)
        lower = torch.randn(6, 6).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf).softmax(dim=-1)
        kept = torch.rand(6, 6) < 0.5
        layer = torch.nn.Linear(3, p["d_out"], bias=False)
        x = [torch.randn(6, p["d_out"]), torch.rand(6, 3), weights, lower, torch.rand(3, p["d_out"]),
             torch.randn(2, 6, p["d_out"]), kept, torch.randn(6), lower * 2 * kept, weights @ JOURNEY,
             layer(JOURNEY), torch.randn(2, 2, 6, 6).softmax(dim=-1)][i % 12]  # fmt: skip
        yield stage, p, x.float()


def right_ones():
    """Returns right steps, and steps at seeds that the program does not know."""
    for stage in MISTAKES:
        for seed in (None, 20001, 20002, 20003):
            for d_out in (2, 4):
                p = parameters(stage, "", d_out)
                made = Reader(stage, p if seed is None else p | {"seed": seed}, "").run(JOURNEY)
                yield from ((stage, p, x) for x in made.values())


def test_general_edits_find_hidden_mistakes():
    rng = random.Random(SEED)
    with torch.no_grad():
        made = cases()
        others = list(unrelated(rng))
        right = list(right_ones())
    known = answers((), pastes_of(made))
    places = {}  # the wrong lines of each mistake, as the table gives them
    expressible = set()
    for (mistake, stage, p, step, _), match in zip(made, known):
        if match and match["mistakes"] == [mistake]:
            places[mistake, stage, p["d_out"], step] = match["instead_of"]
            if is_one_place(match["line"], match["instead_of"]):
                expressible.add(mistake)
    hidden = rng.sample(sorted(expressible), round(SHARE * len(expressible)))
    asked = [case for case in made if case[0] in hidden and key(case) in places]
    outcomes, by = collections.Counter(), collections.defaultdict(collections.Counter)
    for case, match in zip(asked, answers(hidden, pastes_of(asked))):
        mistake, stage, p, step, _ = case
        if match is None or match["bits"] < CONVINCING:
            outcome = "nothing"
        elif not match["mistakes"]:
            outcome = "called right"
        elif match["instead_of"] == places[key(case)]:
            is_general = set(match["mistakes"]) <= {*GENERAL}
            outcome = "the true line" if is_general else "the true line, by a known mistake"
        elif len(match["mistakes"]) > 1:
            outcome = "two mistakes"
        else:
            outcome = "a line that gives the same numbers"
        outcomes[outcome] += 1
        by[mistake][outcome] += 1
        if outcome != "the true line" and match:
            print(mistake, stage, step, outcome, match["mistakes"], match["line"], "true:", places[key(case)])
    for mistake, counts in sorted(by.items()):
        print(f"{mistake:32} {dict(counts)}")
    all_made = {case[0] for case in made}
    print(f"expressible: {len(expressible)} of {len(all_made)} mistakes; hidden: {len(hidden)}")
    print(dict(outcomes))
    given = [match for match in answers((), others) if match]
    false = [match for match in given if match["mistakes"] and match["bits"] >= CONVINCING]
    print("unrelated:", len(others), "false claims:", [(m["mistakes"], m["step"], m["line"]) for m in false])
    wrong = [
        (paste[0], match)
        for paste, match in zip(right, answers((), right))
        if match and set(match["mistakes"]) & {*GENERAL} and match["bits"] >= CONVINCING
    ]
    print("right:", len(right), "called wrong:", [(s, m["mistakes"], m["step"], m["line"]) for s, m in wrong])
    located = sum(count for outcome, count in outcomes.items() if "line" in outcome)
    assert located >= LOCATED * outcomes.total() and not wrong and not false, outcomes
