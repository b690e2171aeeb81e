// The file system, as lib/files uses it. app/web/system/files/system.cpp is the version for WebAssembly.
#pragma once

#include <cstdint>
#include <string>

namespace attn {

enum class FileKind { none, file, folder, device };  // a pipe is a device

// Symbolic links are followed.
FileKind kind_of(const std::string& path);

// In bytes; 0 unless the path is a file.
std::uint64_t file_size(const std::string& path);

// The file that symbolic links lead to, which need not exist.
std::string without_links(const std::string& path);

// With its separator at the end: "out/" of "out/x.json", "" of "x.json".
std::string folder_of(const std::string& path);

// True if two paths lead to one file, which need not exist.
bool leads_to_one_file(const std::string& a, const std::string& b);

// Gives a file the permissions of another, if that exists.
void copy_mode(const std::string& from, const std::string& to);

// Renames a file and replaces what has the new name; returns 0 or an errno.
int rename_over(const std::string& from, const std::string& to);

bool input_is_terminal();

}  // namespace attn
