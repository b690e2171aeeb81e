#!/bin/sh
# Makes the program for browsers, and holds it against the native one.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
"$root/app/web/build.sh"
build release attn-walkthrough
ATTN_PROGRAM="$root/build/release/attn-walkthrough" ATTN_MODULE="$root/build/web/attn-walkthrough.wasm" \
    exec node --test "$root/tests/web/same_program.test.mjs"
