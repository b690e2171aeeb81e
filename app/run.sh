#!/bin/sh
# Builds attn-walkthrough, with all that this takes on a bare Debian 12, and runs it: app/run.sh --stage causal
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
build="$root/build/release"

require_packages $build_packages
if [ ! -f "$build/CMakeCache.txt" ]; then
    echo "Configuring and building in build/release, once" >&2
    (cd "$root" && cmake --preset release) >/dev/null
fi
cmake --build "$build" --parallel "$(nproc)" --target attn-walkthrough >/dev/null
exec "$build/attn-walkthrough" "$@"
