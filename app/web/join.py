#!/usr/bin/python3
"""Joins the browser program: one HTML file of the compiled module, the worker that runs it and the page
around it.

Arguments: the module and the page data of the first article, both compressed with gzip, and the file to
write. The view of a walkthrough is the same as on the page that the program writes.
"""
import base64
import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "data"
VIEW = DATA / "page"
WORKER = [HERE / name for name in ("wasi.mjs", "zip.mjs", "worker.mjs")]
PAGE = [
    VIEW / f"{name}.mjs" for name in ("dom", "numbers", "address", "trace", "figure", "view")
] + [HERE / f"{name}.mjs" for name in ("names", "engine", "app")]


def joined(names):
    """Joins modules to one script, without imports, exports, comment lines and indentation."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in names)
    text = re.sub(r"^import [^\n]*\n", "", text, flags=re.M)
    text = re.sub(r"^export ", "", text, flags=re.M)
    text = re.sub(r"^\s*//[^\n]*\n", "", text, flags=re.M)
    return re.sub(r"\n\s+", "\n", text).strip()


def texts():
    """Returns the texts of all languages as JSON, the program's own language first."""
    folders = sorted((DATA / "narration").iterdir(), key=lambda folder: (folder.name != "en", folder.name))
    return json.dumps(
        {
            folder.name: json.loads((folder / "browser.json").read_text(encoding="utf-8"))
            for folder in folders
        },
        ensure_ascii=False,
    )


def fingerprint(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def packed(name):
    """Returns the bytes as characters of seven bits each, the high ones first. NUL, carriage return and <,
    which HTML changes or reads as markup, are written 256 higher."""
    data = Path(name).read_bytes()
    codes = []
    for at in range(0, len(data), 7):
        group = int.from_bytes(data[at : at + 7].ljust(7, b"\0"), "big")
        codes += [group >> shift & 127 for shift in range(49, -1, -7)]
    del codes[(len(data) * 8 + 6) // 7 :]
    return "".join(chr(code + 256 if code in b"\0\r<" else code) for code in codes)


def main(module, first, output):
    style = "".join(path.read_text(encoding="utf-8") for path in (VIEW / "page.css", HERE / "app.css"))
    style = re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"/\*[^*]*\*/", "", style)).replace(": ", ":").strip()
    script = joined(PAGE)
    holes = {
        "style": style,
        "script": script,
        "worker": joined(WORKER),
        "words": texts(),
        "module": packed(module),
        "first": packed(first),
        "policy": f"default-src 'none'; style-src {fingerprint(style)}; "
        f"script-src {fingerprint(script)} 'wasm-unsafe-eval'; worker-src blob:; base-uri 'none'; "
        "form-action 'none'",
    }
    for name in ("script", "worker", "words"):
        assert "</script" not in holes[name].lower() and "<!--" not in holes[name], name
    template = (HERE / "app.html").read_text(encoding="utf-8")
    Path(output).write_text(re.sub(r"\{\{(\w+)\}\}", lambda hole: holes[hole[1]], template), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
