"""Checks that messages have translations: every pattern given to Error or Message has a Chinese one with the
same placeholders, and every Chinese one belongs to a text of the sources. Argument: the project's folder.
"""

import ast
import json
import pathlib
import re
import sys

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|(?P<string>(?:u8)?"(?:\\.|[^"\\\n])*")'
    r'|\'(?:\\.|[^\'\\\n])+\'|(?P<word>[A-Za-z_][\w:]*)|(?P<space>\s+)|.',
    re.S,
)
PLACE = re.compile(r"\{\d?\}")
LETTERS = re.compile(r"(?<!--)\b[A-Za-z]{2,}")


def tokens(text):
    """Splits a source into words, signs and strings; adjacent strings are joined."""
    found = []
    for token in TOKEN.finditer(text):
        if token["string"]:
            string = ast.literal_eval(token["string"].removeprefix("u8"))
            if found and found[-1][0] == "string":
                string = found.pop()[1] + string
            found.append(("string", string))
        elif not token["space"] and not token[0].startswith(("//", "/*")):
            found.append(("word" if token["word"] else "sign", token[0]))
    return found


def patterns(found):
    """Returns the strings in the first argument of Error(…) and Message(…), or of a variable of these
    types.
    """
    for at, (kind, text) in enumerate(found):
        if kind != "word" or text not in ("Error", "Message", "attn::Error", "attn::Message"):
            continue
        begin = at + 1
        if found[begin][0] == "word":  # Message problem("…")
            begin += 1
        if found[begin][1] not in ("(", "{") or found[begin][0] != "sign":
            continue
        depth = 0
        for kind, text in found[begin:]:
            if kind == "sign":
                depth += (text in "({[") - (text in ")}]")
                if depth == 0 or (depth == 1 and text == ","):
                    break
            elif kind == "string" and depth == 1:
                yield text


def places(pattern):
    """Numbers the placeholders that have no number, as Message does."""
    count = iter(range(10))
    return sorted(place if place != "{}" else f"{{{next(count)}}}" for place in PLACE.findall(pattern))


def sources(root, *folders):
    return [path for folder in folders for path in sorted((root / folder).rglob("*.[ch]pp"))]


def main():
    root = pathlib.Path(sys.argv[1])
    translations = json.loads((root / "data/narration/zh/translations.json").read_text(encoding="utf-8"))
    texts, problems, checked = set(), [], 0
    for path in sources(root, "lib", "app"):
        found = tokens(path.read_text(encoding="utf-8"))
        texts.update(text for kind, text in found if kind == "string")
        for pattern in patterns(found):
            # Patterns without words, and `[matmul] Expected …`, the requirements of functions on their C++
            # callers.
            if pattern.startswith("[") or not LETTERS.search(PLACE.sub("", pattern)):
                continue
            checked += 1
            if pattern not in translations:
                problems.append(f"{path.relative_to(root)}: no Chinese for {pattern!r}")
    for english, chinese in translations.items():
        if english not in texts:
            problems.append(f"translations.json: no source says {english!r}")
        if places(english) != places(chinese):
            problems.append(f"translations.json: other places in {chinese!r} than in {english!r}")
    if checked < 100:
        problems.append(f"only {checked} patterns found")
    print(*problems, f"{checked} patterns, {len(translations)} translations", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
