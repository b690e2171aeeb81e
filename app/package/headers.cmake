# Debian's header-only libraries for compiling to another system. Each is linked to by itself, because beside them in
# /usr/include are the headers of this one.
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
