#!/bin/sh
# Runs what tests/run.sh leaves out: comparisons with PyTorch, the page in a browser, LaTeX, shells, wheel,
# installation, hostile input, and checks of the sources. Builds with gcc; assertions are checked and warnings
# are errors. With another PRESET, runs all its tests. Arguments are passed to ctest instead: tests/all.sh -R
# oracle. It installs what this needs on a bare Debian 12.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/app/packages.sh"
preset=${PRESET:-dev}

require_packages clang-format cppcheck python3 python3-pytest python3-hypothesis
# The wheel and the notes are tested with an installed PyTorch; the oracle brings its own.
require_packages python3-torch libopenblas0-pthread zsh fish groff-base dpkg-dev
# To open exported files.
require_packages python3-nbclient python3-nbformat python3-ipykernel texlive-latex-base
require_packages python3-setuptools python3-wheel python3-venv
if [ "$preset" = dev ]; then  # the page is tested in a browser only under this preset
    command -v npm >/dev/null || require_packages nodejs npm
    require_packages chromium
    [ $# -gt 0 ] || set -- --label-exclude fast
fi
cd "$root"
build "$preset"
counted tests ctest --preset "$preset" --parallel "$(nproc)" "$@"
echo "all tests passed in $(($(date +%s) - begun)) s" >&2
