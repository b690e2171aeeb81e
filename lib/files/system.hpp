// What lib/files needs of the operating system and neither C nor C++ has on all three: one version each for
// POSIX, Windows and WebAssembly.
#pragma once

#include <string>

namespace attn {

enum class FileKind { none, file, folder, device };  // a pipe is a device

// Symbolic links are followed.
FileKind kind_of(const std::string& path);

// The file that symbolic links lead to, which need not exist.
std::string without_links(const std::string& path);

// With its separator at the end: "out/" of "out/x.json", "./" of "x.json".
std::string folder_of(const std::string& path);

// Equal for two paths of one file, which need not exist.
std::string identity(const std::string& path);

// Gives a file the permissions of another.
void copy_mode(const std::string& from, const std::string& to);

// Renames a file and replaces what has the new name; returns 0 or an errno.
int rename_over(const std::string& from, const std::string& to);

// Ensures that no file that is opened takes the number of a standard stream that is closed, and with it what
// is printed.
void reserve_standard_streams();

bool input_is_terminal();

}  // namespace attn
