#!/bin/sh
# Tests the page in Chromium. Arguments: the program, a folder for npm's packages.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$1
work=$2

. "$here/browser.sh"
ATTN_PROGRAM=$program node --test "$here/modules.test.mjs" || exit 1
exec node "$here/page.mjs" "$program" "$work" "$browser"
