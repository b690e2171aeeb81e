# Writes OUTPUT, a C++ source with the text of each of FILES (below DATA_DIR) as a raw string literal, and its SHA-256.

# The bytes that 64 hexadecimal digits stand for, in base64.
function(base64 hex result)
    set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    set(text "")
    foreach(at RANGE 0 60 6)
        string(SUBSTRING "${hex}00" ${at} 6 group)
        foreach(shift IN ITEMS 18 12 6 0)
            math(EXPR letter "0x${group} >> ${shift} & 63")
            string(SUBSTRING "${alphabet}" ${letter} 1 letter)
            string(APPEND text "${letter}")
        endforeach()
    endforeach()
    string(REGEX REPLACE ".$" "=" text "${text}")
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

string(CONCAT source "// Generated from data/ by lib/files/embed.cmake.\n"
    "#include \"files/resources.hpp\"\n\n"
    "namespace attn {\n\nconst Resource resources[] = {\n")
foreach(file IN LISTS FILES)
    file(READ "${DATA_DIR}/${file}" text)
    file(SHA256 "${DATA_DIR}/${file}" hash)
    base64("${hash}" hash)
    string(APPEND source "    {\"${file}\", R\"embedded(${text})embedded\", \"${hash}\"},\n")
endforeach()
list(LENGTH FILES count)
string(APPEND source "};\nconst std::size_t resource_count = ${count};\n\n}  // namespace attn\n")
file(WRITE "${OUTPUT}" "${source}")
