#!/usr/bin/python3
"""Joins the browser program: one HTML file of the compiled module, the worker that runs it and the page around it.

Arguments: the module, embedded_resources.cpp of its build, the file to write. The walkthrough's page is shown in a frame,
which inherits our content security policy: the fingerprints of its style and script are among the resources.
"""
import base64
import gzip
import hashlib
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKER = ["wasi.mjs", "zip.mjs", "worker.mjs"]
PAGE = ["words.mjs", "lesson.mjs", "engine.mjs", "app.mjs"]


def joined(names):
    """Returns modules as one script, without imports, exports, comments on lines of their own and indentation."""
    text = "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)
    text = re.sub(r"^import [^\n]*\n", "", text, flags=re.M)
    text = re.sub(r"^export ", "", text, flags=re.M)
    text = re.sub(r"^\s*//[^\n]*\n", "", text, flags=re.M)
    return re.sub(r"\n\s+", "\n", text).strip()


def fingerprint(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def main(module, resources, output):
    embedded = Path(resources).read_text(encoding="utf-8")
    style_hash, script_hash = (
        f"""'sha256-{re.search(r'{"page/page.' + kind + r'", R"embedded[(].*?[)]embedded", "([^"]+)"', embedded, re.S)[1]}'"""
        for kind in ("css", "js")
    )
    style = re.sub(r"\n\s*", "\n", re.sub(r"/\*[^*]*\*/", "", (HERE / "app.css").read_text(encoding="utf-8"))).strip()
    script = joined(PAGE)
    holes = {
        "style": style,
        "script": script,
        "worker": joined(WORKER),
        "module": base64.b64encode(gzip.compress(Path(module).read_bytes(), 9, mtime=0)).decode(),
        "policy": f"default-src 'none'; style-src {fingerprint(style)} {style_hash}; "
                  f"script-src {fingerprint(script)} {script_hash} 'wasm-unsafe-eval'; "
                  "worker-src blob:; frame-src blob:; base-uri 'none'; form-action 'none'",
    }
    for name in ("script", "worker"):
        assert "</script" not in holes[name].lower() and "<!--" not in holes[name], name
    template = (HERE / "app.html").read_text(encoding="utf-8")
    Path(output).write_text(re.sub(r"\{\{(\w+)\}\}", lambda hole: holes[hole[1]], template), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
