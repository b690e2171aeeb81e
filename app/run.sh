#!/bin/sh
# Builds attn-walkthrough, installs what this needs on a bare Debian 12, and runs it:
# app/run.sh --stage causal
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
program="$root/build/release/attn-walkthrough"

is_first=$([ -x "$program" ] || echo yes)
build release attn-walkthrough
[ -n "$is_first" ] || exec "$program" "$@"
code=0
"$program" "$@" || code=$?
echo "built and run in $(($(date +%s) - begun)) s; next: app/run.sh help, or tests/run.sh" >&2
exit "$code"
