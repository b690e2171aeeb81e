#!/bin/sh
# Builds attn-walkthrough, installs what this needs on a bare Debian 12, and runs it:
# app/run.sh --stage causal
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"

build release attn-walkthrough
exec "$root/build/release/attn-walkthrough" "$@"
