#!/bin/sh
# Makes the program for browsers, build/web/attn-walkthrough.html, one file that needs no network. Installs
# what this needs on a bare Debian 12.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

require_packages python3
build web attn-walkthrough
cd "$root/build/web"
# wasm-opt and zopfli each make the file a twentieth smaller than clang and gzip -9 do. The article that a
# reader sees first is in the file, so that it does not wait for the program.
[ first.json.gz -nt attn-walkthrough.wasm ] || {
    wasm-opt -Oz --enable-exception-handling --enable-simd --enable-bulk-memory --enable-sign-ext \
        --enable-nontrapping-float-to-int --enable-mutable-globals attn-walkthrough.wasm -o small.wasm
    zopfli --i3 small.wasm
    node "$root/app/web/run.mjs" small.wasm page causal >first.json </dev/null
    zopfli --i3 first.json
}
/usr/bin/python3 -B "$root/app/web/join.py" small.wasm.gz first.json.gz attn-walkthrough.html
ls -s "$PWD/attn-walkthrough.html"
