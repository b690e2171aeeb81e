#!/bin/sh
# Makes the program for browsers, and compares it with the native one.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
require_packages python3
"$root/app/web/build.sh"
build release attn-walkthrough
clang++-19 --target=wasm32-wasi -std=c++20 -O1 -fwasm-exceptions -Wl,--max-memory=4194304,--wrap=free \
    -o "$root/build/web/out_of_memory.wasm" \
    "$root/tests/web/out_of_memory.cpp" "$root/app/web/system/exceptions.cpp"
ATTN_PROGRAM="$root/build/release/attn-walkthrough" ATTN_MODULE="$root/build/web/attn-walkthrough.wasm" \
    ATTN_OUT_OF_MEMORY="$root/build/web/out_of_memory.wasm" \
    exec node --test "$root/tests/web/same_program.test.mjs"
