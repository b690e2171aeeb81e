// The file system functions that lib/files uses. For WebAssembly, app/web/system/files/system.cpp replaces
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attn {

enum class FileKind { none, file, folder, device };  // a pipe counts as a device

// Follows symbolic links.
FileKind kind_of(const std::string& path);

// Returns true for a file, a pipe or a device, which can all be read.
inline bool is_file_or_pipe(const std::string& path) {
    const FileKind kind = kind_of(path);
    return kind == FileKind::file || kind == FileKind::device;
}

// Returns true for a device such as /dev/zero, and not for a pipe; "-" is standard input.
bool is_character_device(const std::string& path);

// Returns the files of a folder whose names do not begin with a dot, sorted. Throws Error if the folder
// cannot be read.
std::vector<std::string> files_in(const std::string& folder);

// Returns the size in bytes, or 0 if the path is not a file.
std::uint64_t file_size(const std::string& path);

// Returns the file to which symbolic links lead; it need not exist.
std::string without_links(const std::string& path);

// Returns the folder with the separator at its end: "out/" for "out/x.json", "" for "x.json".
std::string folder_of(const std::string& path);

// Returns true if two paths lead to the same file, which need not exist.
bool leads_to_one_file(const std::string& a, const std::string& b);

// Copies the permissions of another file if it exists.
void copy_mode(const std::string& from, const std::string& to);

// Removes the file if a signal ends the program (except SIGKILL), until keep_on_signal(). `path`
// must stay where it is. A signal that is ignored, as under nohup, stays ignored.
void remove_on_signal(const char* path);
void keep_on_signal(const char* path);

// Renames a file, replacing a file of the new name. Returns 0 or an errno value.
int rename_over(const std::string& from, const std::string& to);

bool input_is_terminal();

}  // namespace attn
