# The program for WebAssembly, where the system has no threads, signals, terminals, and no libraries in packages.

# Debian's libraries of headers alone, each linked to by itself: beside them in /usr/include are those of this machine.
set(links "${CMAKE_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${links}")
foreach(library fmt CLI fast_float)
    file(CREATE_LINK "/usr/include/${library}" "${links}/${library}" SYMBOLIC)
endforeach()
foreach(target fmt::fmt-header-only CLI11::CLI11 FastFloat::fast_float Threads::Threads ZLIB::ZLIB)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE "${links}")
endforeach()
target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY)

# A source file that has one of the same path in app/web/system is left out for it.
function(attn_take_system list)
    set(system "${PROJECT_SOURCE_DIR}/app/web/system")
    set(taken "")
    foreach(source IN LISTS ${list})
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
        if(EXISTS "${system}/${path}")
            set(source "${system}/${path}")
        endif()
        list(APPEND taken "${source}")
    endforeach()
    set(${list} "${taken}" PARENT_SCOPE)
endfunction()
