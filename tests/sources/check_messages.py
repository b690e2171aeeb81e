"""Checks that both languages are complete: every pattern given to Error or Message has a Chinese one, every
Chinese one belongs to a text of the sources, and every text of the narration is there in both languages, with
the same placeholders. Argument: the project's folder.
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
PLACE = re.compile(r"\{[^{}]*\}")
FACTS = re.compile(r"^\[[^\]]*\]")  # with which a sentence may begin: [mask, not given]
DECIMAL = re.compile(r"-?\d+\.\d+")
WORD = re.compile("[A-Za-z]{2,}")
HAN = re.compile("[\u4e00-\u9fff]")
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


def texts_in(folder):
    """Returns the texts of a language by file and place, except translations of messages."""
    found = {}

    def collect(value, place):
        if isinstance(value, str):
            found[place] = value
        elif isinstance(value, (dict, list)):
            for key, part in value.items() if isinstance(value, dict) else enumerate(value):
                collect(part, f"{place}/{key}")

    for path in sorted(folder.glob("*.json")):
        if path.name != "translations.json":
            collect(json.loads(path.read_text(encoding="utf-8")), path.name)
    return found


def narration_problems(english, chinese):
    for place in sorted({*english} ^ {*chinese}):
        yield f"{place}: no text in one of the languages"
    for place in sorted({*english} & {*chinese}):
        ours, theirs = english[place], chinese[place]
        for what, parts in (
            ("placeholders", places), ("facts", FACTS.findall), ("numbers", DECIMAL.findall)
        ):  # fmt: skip
            if sorted(parts(ours)) != sorted(parts(theirs)):
                yield f"{place}: other {what} in {theirs!r} than in {ours!r}"
        words = FACTS.sub("", PLACE.sub("", theirs))
        # `exp`, `d_k` and `{}（{}）` are the same in all languages.
        if not ours or (words != "exp" and WORD.search(words) and not HAN.search(theirs)):
            yield f"{place}: no Chinese for {ours!r}"
    examples = [text for text in english.values() if HAN.search(text)]
    if len(examples) != 2:  # 我 喜欢 绿茶, and 绿茶 by itself
        yield f"not two English texts have Chinese words: {examples}"


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
        if bool(HAN.search(chinese)) != bool(WORD.search(english)):
            problems.append(f"translations.json: {chinese!r} is no translation of {english!r}")
    narration = [texts_in(root / "data/narration" / language) for language in ("en", "zh")]
    problems += narration_problems(*narration)
    if checked < 100 or len(narration[0]) < 450:
        problems.append("too few patterns or texts found")
    counts = f"{checked} patterns, {len(translations)} translations, {len(narration[0])} texts"
    print(*problems, counts, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
