# Finds the libraries: the system's packages if there are any, otherwise the pinned commit. A static program
# starts twice as fast, because nothing needs to be loaded. But not every system has the static libraries.
set(static ${ATTN_STATIC})
if(ATTN_STATIC STREQUAL "AUTO")
    set(static ON)
    foreach(library IN ITEMS c stdc++ z)
        execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=lib${library}.a
            OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(NOT IS_ABSOLUTE "${file}")  # the name alone, for a library that is missing
            set(static OFF)
        endif()
    endforeach()
endif()

include(FetchContent)
if(ATTN_WEB)
    include(app/web/system.cmake)
elseif(MINGW AND CMAKE_CROSSCOMPILING)
    include(app/package/headers.cmake)
    find_package(ZLIB REQUIRED)
else()
    FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git
        GIT_TAG 1be298e1bd68957e4cd352e1f676f00e07dcfb57 SYSTEM FIND_PACKAGE_ARGS)
    FetchContent_MakeAvailable(fmt)
    if(ATTN_BUILD_PROGRAM)
        set(FASTFLOAT_INSTALL OFF CACHE INTERNAL "")
        FetchContent_Declare(FastFloat GIT_REPOSITORY https://github.com/fastfloat/fast_float.git
            GIT_TAG 8234a896236a6c98ee66cf214b31ca15e24579ca SYSTEM FIND_PACKAGE_ARGS)
        FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
            GIT_TAG cbd58a3696887b34c70949aef21a71735a0c2ad5 SYSTEM FIND_PACKAGE_ARGS)
        FetchContent_Declare(nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json.git
            GIT_TAG 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03 SYSTEM FIND_PACKAGE_ARGS 3.11)
        FetchContent_Declare(ZLIB GIT_REPOSITORY https://github.com/madler/zlib.git
            GIT_TAG 51b7f2abdade71cd9bb0e7a373ef2610ec6f9daf SYSTEM FIND_PACKAGE_ARGS)
        set(SKIP_INSTALL_ALL ON)  # zlib's option for no installation
        set(ZLIB_USE_STATIC_LIBS ${static})
        FetchContent_MakeAvailable(FastFloat CLI11 nlohmann_json ZLIB)
        if(NOT TARGET ZLIB::ZLIB)  # when fetched, zlib has a different target and keeps its headers to itself
            target_include_directories(zlibstatic SYSTEM INTERFACE "${zlib_SOURCE_DIR}" "${zlib_BINARY_DIR}")
            add_library(ZLIB::ZLIB ALIAS zlibstatic)
        endif()
    endif()
endif()

# fmt is compiled once, in lib/fmt.cpp, from its headers, because Debian has no static library of it.
add_library(attn-fmt INTERFACE)
target_include_directories(attn-fmt SYSTEM INTERFACE
    $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
