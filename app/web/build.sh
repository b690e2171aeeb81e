#!/bin/sh
# Makes the program for browsers, build/web/attn-walkthrough.html, one file that needs no network. Installs
# what this needs on a bare Debian 12.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

require_packages python3
build web attn-walkthrough
cd "$root/build/web"
# zopfli writes gzip files a twentieth smaller than gzip -9.
[ attn-walkthrough.wasm.gz -nt attn-walkthrough.wasm ] || zopfli --i3 attn-walkthrough.wasm
/usr/bin/python3 -B "$root/app/web/join.py" attn-walkthrough.wasm.gz attn-walkthrough.html
ls -s "$PWD/attn-walkthrough.html"
