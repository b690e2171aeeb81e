#!/bin/sh
# Runs the README's commands in a home directory that no other user may enter, like root's: the first walk,
# the release workflow, the installation, and the tests of the README and of files that belong to another
# user.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
[ "$(stat -c %a "$home")" = 700 ]

mkdir "$home/attn"
cd "$root"
cp -R app data lib tests CMakeLists.txt CMakePresets.json *.md LICENSE "$home/attn"
cd "$home/attn"
! command -v ccache >/dev/null || CCACHE_DIR=$(ccache --get-config cache_dir)
export HOME="$home" CCACHE_BASEDIR="$PWD" CCACHE_DIR="${CCACHE_DIR:-}"

app/run.sh causal | grep -q '^causal 20/20'
cmake --workflow --preset release >/dev/null
cmake --install build/release --prefix "$home/installed" >/dev/null
"$home/installed/bin/attn-walkthrough" compare causal >/dev/null
[ -s "$home/installed/share/man/man1/attn-walkthrough.1" ]
export ATTN_BUILD=build/release
/usr/bin/python3 -B -m pytest -c tests/pytest.ini tests/cli/output.py tests/cli/readme.py
