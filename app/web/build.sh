#!/bin/sh
# Makes the program for browsers, build/web/attn-walkthrough.html, one file that needs no network. Installs
# what this needs on a bare Debian 12.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

require_packages python3
build web attn-walkthrough
cd "$root/build/web"
# clang runs wasm-opt, of the package binaryen. This and zopfli, instead of gzip -9, each take a twentieth off
# the file. The article that a reader sees first is in it, so that it does not wait for the program.
[ first.json.gz -nt attn-walkthrough.wasm ] || {
    zopfli --i3 attn-walkthrough.wasm
    node "$root/app/web/run.mjs" attn-walkthrough.wasm page causal >first.json </dev/null
    zopfli --i3 first.json
}
/usr/bin/python3 -B "$root/app/web/join.py" attn-walkthrough.wasm.gz first.json.gz attn-walkthrough.html
ls -s "$PWD/attn-walkthrough.html"
