# Sourced by the scripts that use a browser: finds Chromium, installs npm packages into $work and copies the
# tests there. $here is this folder. If something is missing, the script is skipped, unless ATTN_NO_SKIP is
# set.
skip() {
    echo "SKIPPED: $1"
    [ -z "${ATTN_NO_SKIP:-}" ] && exit 77
    exit 1
}

CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} ||
    skip "Chromium is not installed"
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are not installed"
mkdir -p "$work"
work=$(realpath "$work")
if ! cmp -s "$here/package-lock.json" "$work/package-lock.json" ||
    [ ! -d "$work/node_modules/@playwright" ]; then
    cp "$here/package.json" "$here/package-lock.json" "$work/"
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || {
        rm -f "$work/package-lock.json"
        skip "npm could not install Playwright and axe"
    }
fi
cp "$here"/*.spec.mjs "$here/support.mjs" "$here/same.mjs" "$here/playwright.config.mjs" "$work/"
export CHROMIUM ATTN_WORK="$work" ATTN_PROGRAM="$program"
drive() { cd "$work" && exec npx playwright test "$@"; }
