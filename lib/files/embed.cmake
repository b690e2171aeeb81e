# Writes OUTPUT, a C++ source with the text of each of FILES (below DATA_DIR) as a raw string literal.
string(CONCAT source "// Generated from data/ by lib/files/embed.cmake.\n"
    "#include \"files/resources.hpp\"\n\n"
    "namespace attn {\n\nconst Resource resources[] = {\n")
foreach(file IN LISTS FILES)
    file(READ "${DATA_DIR}/${file}" text)
    string(APPEND source "    {\"${file}\", R\"embedded(${text})embedded\"},\n")
endforeach()
list(LENGTH FILES count)
string(APPEND source "};\nconst std::size_t resource_count = ${count};\n\n}  // namespace attn\n")
file(WRITE "${OUTPUT}" "${source}")
