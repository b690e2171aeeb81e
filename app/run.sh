#!/bin/sh
# Builds attn-walkthrough, installs what this needs on a bare Debian 12, and runs it:
# app/run.sh --stage causal
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
program="$root/build/release/attn-walkthrough"

if ! [ -x "$program" ]; then
    # This half of the program walks through stages; for all else it ends with 3.
    build release attn-first
    code=0
    "$root/build/release/attn-first" "$@" || code=$?
    if [ "$code" != 3 ]; then
        echo "built and run in $(($(date +%s) - begun)) s; next: tests/run.sh, or app/run.sh help" >&2
        exit "$code"
    fi
fi
build release attn-walkthrough
exec "$program" "$@"
