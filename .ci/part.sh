# Sourced after app/packages.sh by scripts that run in parts. `part NAME COMMAND…` reports how long the
# command took, or that it failed; `summary` lists all parts.
summary=""
part() {
    name=$1
    shift
    begun=$(date +%s)
    echo "== $name"
    "$@" || {
        echo "FAILED: $name, after $(($(date +%s) - begun)) s" >&2
        exit 1
    }
    summary="$summary$(printf '%6d s  %s' $(($(date +%s) - begun)) "$name")
"
}

# Several builds compile the same sources, and the next change compiles most of them again. Without this
# sloppiness, ccache leaves out sources with a precompiled header, which are nearly all.
require_packages ccache
export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
export CCACHE_SLOPPINESS=pch_defines,time_macros
