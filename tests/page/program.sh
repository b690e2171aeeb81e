#!/bin/sh
# Builds the program for the browser and tests it in Chromium. Arguments: the native program, a folder for
# npm's packages.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
. "$here/browser.sh"
"$here/../../app/web/build.sh"
exec node "$here/program.mjs" "$program" "$work" "$browser" "$here/../../build/web/attn-walkthrough.html"
