#!/bin/sh
# Builds the presets static and release, installs what this needs on a bare Debian 12, and tests what they
# promise: one file that needs no library, that starts about as fast as an empty program, and that has the
# output of any other build. A build to compare with can be given as an argument.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"
other=${1:-}

cd "$root"
for preset in static release; do
    build "$preset" attn-walkthrough
    program=build/$preset/attn-walkthrough
    if ldd "$program" >/dev/null 2>&1; then
        echo "$program needs these libraries:" >&2
        ldd "$program" >&2
        exit 1
    fi
    (cd / && env -i "$root/$program" compare >/dev/null)
    # An empty file system has no libc, no locale and no /proc.
    empty=$(mktemp -d)
    cp "$program" "$empty/program"
    # An unprivileged user may change the root in a namespace of their own.
    $([ "$(id -u)" = 0 ] || echo unshare --map-root-user) chroot "$empty" /program compare >/dev/null
    rm -r "$empty"
    if [ -n "$other" ]; then
        [ "$("$program" --stage all | cksum)" = "$("$other" --stage all | cksum)" ] || {
            echo "$program and $other differ" >&2
            exit 1
        }
    fi
    python3 tests/install/start.py "$program"
    echo "$program is a single file, and compares as it should"
done
