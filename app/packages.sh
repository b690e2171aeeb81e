# Sourced by scripts that need Debian packages, or a build. Progress is reported on standard error: on a
# terminal in one line, otherwise once per kind of work.

begun=$(date +%s)
shown=""

# Shows what is being done: `progress compiling 12/37`. Without arguments, ends the line.
progress() {
    if [ -t 2 ]; then
        [ $# = 0 ] && [ -z "$shown" ] || printf '\r\033[K%s' "$*" >&2
        shown="$*"
    elif [ $# -gt 0 ] && [ "$1" != "$shown" ]; then
        echo "$*" >&2
        shown=$1
    fi
}
# Runs a command and counts its steps as `compiling 12/37` or `tests 3/40`. Prints what else ninja and ctest
# say only if the command fails, and which tests were skipped.
counted() {
    what=$1
    shift
    { "$@" 2>&1 </dev/null && echo "@done" || echo "@failed"; } | {
        said=""
        while IFS= read -r line; do
            case $line in
                @done) progress; printf '%s' "$said" | grep "(Skipped)" >&2 || :; exit 0 ;;
                @failed) progress; printf '%s' "$said" >&2; exit 1 ;;
                @0/*) continue ;;  # ninja looks whether there are new files
                @*) line=${line#@}; progress "$what" "${line%% *}"; continue ;;
                *Test*"#"*" Passed "*) line=${line%% Test*}; progress "$what" "${line##* }"; continue ;;
                *" Start "*": "*) continue ;;
            esac
            said="$said$line
"
        done
        exit 1
    }
}

# Installs packages, named as in Debian 12: as root directly, as another user through sudo. On other systems,
# only names them: the build then says which one it misses.
require_packages() {
    command -v dpkg-query >/dev/null || {
        echo "This is not Debian. If the build fails, install the equivalents of: $*" >&2
        return 0
    }
    missing=""
    for package in "$@"; do
        case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
            "install ok installed") ;;
            *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0

    as_root=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || {
            echo "Please install as root, for there is no sudo here: apt-get install$missing" >&2
            return 1
        }
        as_root="sudo"
    fi
    progress installing "$(echo $missing | wc -w)" packages
    counted installing sh -c "
        $as_root apt-get update -qq >/dev/null && $as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq -y --no-install-recommends $missing"
}
# Prints the packages that building a preset needs.
packages_of() {
    if [ "$1" = web ]; then
        echo "clang-19 lld-19 llvm-19 wasi-libc binaryen nodejs zopfli"
        echo "libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32"
        echo "ninja-build cmake libcli11-dev libfast-float-dev libfmt-dev nlohmann-json3-dev"
        return
    fi
    if [ "$1" = windows ]; then
        echo "g++-mingw-w64-x86-64-posix libz-mingw-w64-dev doctest-dev"
        echo "ninja-build cmake libcli11-dev libfast-float-dev libfmt-dev nlohmann-json3-dev"
        return
    fi
    echo "g++ ninja-build cmake libcli11-dev libfast-float-dev libfmt-dev nlohmann-json3-dev zlib1g-dev"
    case $1 in release | static | bench | fuzz) ;; *) echo doctest-dev ;; esac
    case $1 in bench | dev | clang) echo libbenchmark-dev ;; esac
    case $1 in
        clang | coverage | fuzz | sanitize) echo clang libclang-rt-14-dev ;;
        libc++-*) echo "clang-${1#libc++-} $1-dev libc++abi${1#libc++}-dev" ;;
        aarch64) echo g++-aarch64-linux-gnu qemu-user ;;
    esac
}
export CMAKE_GENERATOR=Ninja

# build PRESET [TARGET…] builds targets of a preset, or all of it, in build/PRESET. $root is the project's
# folder.
build() {
    preset=$1
    shift
    require_packages $(packages_of "$preset")
    [ "$preset" != aarch64 ] || "$root/tests/aarch64/packages.sh"
    if ! [ "$root/build/$preset/build.ninja" -nt "$root/CMakePresets.json" ] || {
        [ -n "$with_tests" ] && ! grep -q "^ATTN_BUILD_TESTS:.*=ON" "$root/build/$preset/CMakeCache.txt"
    }; then
        progress configuring "build/$preset"
        (cd "$root" && cmake --preset "$preset" $with_tests >/dev/null)
    fi
    export NINJA_STATUS="@%f/%t "
    counted compiling cmake --build "$root/build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
# Options for CMake by which a preset without tests has them.
with_tests=""
