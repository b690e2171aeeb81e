# Makes Debian's header-only libraries usable for compiling to another system. Links to each of them
# separately, because /usr/include also has this system's own headers.
set(links "${CMAKE_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${links}")
foreach(folder fmt CLI fast_float nlohmann doctest)
    file(CREATE_LINK "/usr/include/${folder}" "${links}/${folder}" SYMBOLIC)
endforeach()
foreach(target fmt::fmt-header-only CLI11::CLI11 FastFloat::fast_float
        nlohmann_json::nlohmann_json doctest::doctest)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE "${links}")
endforeach()
target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY)
