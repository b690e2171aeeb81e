"""Counts English sentences that have to be read twice: they begin with What, Whether, Who or Of without being
a question, say "is no", "are none" or "another one", or have more than 30 words. The numbers below may only
fall; whoever lowers one writes the new number here. Arguments: the project's folder; --list prints the
sentences.
"""

import json
import pathlib
import re
import sys

ALLOWED = {"narration": 0, "messages": 0, "documents": 0, "comments": 0}

FAULT = re.compile(
    r"^([Ww]hat|[Ww]hether|[Ww]ho|Of)\b(?!.*\?)"
    r"|(?<!there )\b(is no(?! longer| more)|are none)\b|\banother one\b",
    re.S,
)
END = re.compile(r"(?<=[.!?])[\"')]*\s+|(?<=:)\s+(?=[\"'(`]*[A-Z])|\n\s*\n")
MOST_WORDS = 30


def strings(json_value):
    if isinstance(json_value, str):
        yield re.sub(r"^\[[^]]*\] ", "", json_value)  # without its facts
    elif isinstance(json_value, dict):
        for value in json_value.values():
            yield from strings(value)
    else:
        for value in json_value:
            yield from strings(value)


def comments(source):
    """Blocks of // lines; those at the end of a line of code are blocks of their own."""
    lines = [(line.split("//", 1) + [None])[:2] for line in source.replace("://", ":").splitlines()]
    block = []
    for code, comment in lines:
        if comment is None or code.strip():
            yield " ".join(block)
            block = []
        if comment is not None and not comment.startswith("    "):  # indented: formulas and code
            block.append(comment.strip())
    yield " ".join(block)


def prose(markdown):
    """Returns paragraphs, list items and table cells, without code and markup."""
    markdown = re.sub(r"```.*?```|^    .*?$|<!--.*?-->", "\n\n", markdown, flags=re.S | re.M)
    markdown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"^#+ .*$|^\s*([-*]|\d+\.) |\|", "\n\n", markdown, flags=re.M).replace("**", "")


def texts(root):
    for path in sorted((root / "data/narration/en").glob("*.json")):
        for text in strings(json.loads(path.read_text(encoding="utf-8"))):
            yield "narration", path.name, text
    for text in json.loads((root / "data/narration/zh/translations.json").read_text(encoding="utf-8")):
        yield "messages", "translations.json", text  # its keys are the program's help and errors
    for path in sorted([*root.glob("*.md"), *root.glob("[a-z]*/**/*.md")]):
        if "build" not in path.parts and "zh" not in path.parts:
            yield "documents", str(path.relative_to(root)), prose(path.read_text(encoding="utf-8"))
    for path in sorted(path for room in ("app", "lib") for path in (root / room).rglob("*.[ch]pp")):
        for text in comments(path.read_text(encoding="utf-8")):
            yield "comments", str(path.relative_to(root)), text


def main():
    root = pathlib.Path(sys.argv[1])
    found = {room: [] for room in ALLOWED}
    count = 0
    for room, place, text in texts(root):
        for sentence in map(str.strip, END.split(text)):
            count += bool(sentence)
            if FAULT.search(sentence) or len(sentence.split()) > MOST_WORDS:
                found[room].append(f"{place}: {' '.join(sentence.split())}")
    result = 0
    for room, allowed in ALLOWED.items():
        if "--list" in sys.argv or len(found[room]) > allowed:
            print(*found[room], sep="\n")
        print(f"{room}: {len(found[room])} sentences to read twice, {allowed} allowed")
        if len(found[room]) < allowed:
            print(f"lower the number of {room} in {sys.argv[0]} to {len(found[room])}")
        result |= len(found[room]) != allowed
    print(f"{count} sentences")
    return 1 if result or count < 3000 else 0


if __name__ == "__main__":
    sys.exit(main())
