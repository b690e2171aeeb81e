"""Reads the export of llvm-cov: how many lines and branches of lib/ and app/ ran, and which did not.

Arguments: the export and the project's folder. Every branch that was never taken is listed, with its reason
from left.json if there is one. The exit code is 1 below the limits, and if a reason no longer matches a
branch.
"""

import collections
import json
import os
import sys

LIMITS = {"lines": 98.0, "branches": 95.0}


def main():
    export, root = sys.argv[1], os.path.realpath(sys.argv[2])
    with open(export) as file:
        files = json.load(file)["data"][0]["files"]
    ours = {}
    for one in files:
        name = os.path.relpath(os.path.realpath(one["filename"]), root)
        if name.startswith(("lib/", "app/")):
            ours[name] = one

    with open(os.path.join(os.path.dirname(__file__), "left.json")) as file:
        reasons = json.load(file)
    used, unexplained = set(), 0
    for name in sorted(ours):
        for line, text, sides in never_taken(ours[name], os.path.join(root, name)):
            reason = reasons.get(name, {}).get(text)
            used.add((name, text))
            unexplained += reason is None
            print(f"{name}:{line}: never {sides}: {text}" + (f"  ({reason})" if reason else ""))

    failed = False
    for kind, limit in LIMITS.items():
        of_files = [one["summary"][kind] for one in ours.values()]
        run, all_ = (sum(each[key] for each in of_files) for key in ("covered", "count"))
        share = 100 * run / all_
        print(f"{kind}: {run} of {all_}, {share:.2f} % (at least {limit:.0f})")
        failed |= share < limit
    print(f"branches never taken without a reason in left.json: {unexplained}")
    for name, of_file in reasons.items():
        for text in of_file:
            if (name, text) not in used:
                print(f"left.json: {name}: {text}: runs now, or is gone; remove its reason")
                failed = True
    return 1 if failed else 0


def never_taken(one, path):
    """Returns (line, condition, sides) for each condition that was never true, never false, or neither. A
    template counts once.
    """
    with open(path, encoding="utf-8") as file:
        source = file.read().encode().split(b"\n")  # columns count bytes
    counts = collections.defaultdict(lambda: [0, 0])
    for line, column, end_line, end_column, true, false, *_ in one["branches"]:
        counts[line, column, end_line, end_column][0] += true
        counts[line, column, end_line, end_column][1] += false
    for (line, column, end_line, end_column), taken in sorted(counts.items()):
        if 0 in taken:
            last = end_column - 1 if end_line == line else None
            text = source[line - 1][column - 1 : last].decode(errors="replace")
            yield line, text, " or ".join(side for side, count in zip(("true", "false"), taken) if count == 0)


if __name__ == "__main__":
    sys.exit(main())
