#!/bin/sh
# Unusual builds give the same program as ours: with link-time optimisation; in a folder whose name has spaces
# and letters beyond ASCII; fetched by another project from a folder; and with fetched packages, because the
# system has none.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/app/packages.sh"

build release attn-walkthrough
folder="$root/build/own ways/für 注意力"
rm -rf "$folder"
mkdir -p "$folder/fetching"
for name in app data lib CMakeLists.txt CMakePresets.json README.md CHANGELOG.md LICENSE; do
    cp -R "$root/$name" "$folder"
done
cat >"$folder/fetching/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(fetching LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(attn SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}/..")
FetchContent_MakeAvailable(attn)
file(WRITE main.cpp "#include <attn/attention.hpp>
int main() { return attn::Tensor({1, 2}, {3.0F, 4.0F}).count() == 2 ? 0 : 1; }
")
add_executable(fetching "${CMAKE_CURRENT_SOURCE_DIR}/main.cpp")
target_link_libraries(fetching PRIVATE attn::attn)
END

expected=$("$root/build/release/attn-walkthrough" --stage all --json - | cksum)
# Checks that a program has the expected output: same PROGRAM REASON
same() {
    [ "$("$1" --stage all --json - | cksum)" = "$expected" ] || {
        echo "$2 it differs" >&2
        exit 1
    }
}
cd "$folder"
# Link-time optimisation detects what no other build does: two classes of one name in two files.
cmake --preset release -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DCMAKE_CXX_FLAGS=-Werror=odr >/dev/null
cmake --build --preset release --parallel "$(nproc)"
same build/release/attn-walkthrough "with link-time optimisation"
cmake --install build/release --prefix installed >/dev/null
installed/bin/attn-walkthrough compare causal >/dev/null

cmake -S fetching -B fetching/build -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON >/dev/null
cmake --build fetching/build --parallel "$(nproc)"
fetching/build/fetching
# Replaces the projects that git would fetch: they have Debian's headers and the targets of the real ones.
project_of() {
    mkdir -p "fetched/$1/include"
    ln -s "/usr/include/$3" "fetched/$1/include/$3"
    cat >"fetched/$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project($1 LANGUAGES NONE)
add_library(headers-of-$1 INTERFACE)
add_library($2 ALIAS headers-of-$1)
target_include_directories(headers-of-$1 INTERFACE include)
END
}
project_of fmt fmt::fmt-header-only fmt
echo "target_compile_definitions(headers-of-fmt INTERFACE FMT_HEADER_ONLY)" >>fetched/fmt/CMakeLists.txt
project_of CLI11 CLI11::CLI11 CLI
project_of nlohmann_json nlohmann_json::nlohmann_json nlohmann
project_of FastFloat FastFloat::fast_float fast_float
mkdir -p fetched/ZLIB
ln -s /usr/include/zlib.h /usr/include/zconf.h fetched/ZLIB
cat >fetched/ZLIB/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(zlib LANGUAGES NONE)
add_library(zlibstatic INTERFACE)
target_link_libraries(zlibstatic INTERFACE z)
END
set -- -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER
for name in fmt CLI11 nlohmann_json FastFloat ZLIB; do
    set -- "$@" "-DFETCHCONTENT_SOURCE_DIR_$(echo "$name" | tr '[:lower:]' '[:upper:]')=$PWD/fetched/$name"
done
cmake --preset release -B fetched/build "$@" >/dev/null
cmake --build fetched/build --parallel "$(nproc)"
same fetched/build/attn-walkthrough "with fetched packages"
cmake --install fetched/build --prefix "fetched/installed" >/dev/null
echo "own ways to build give the same program"
