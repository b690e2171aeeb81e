// All output goes through this file: to a file that appears complete or not at all, to a device or pipe, or
// to standard output.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace attn {

// An output that is being written. A file is first written next to its target under a temporary name, and
// commit() renames it; before that, or without it, the target stays as it was. A symbolic link stays: the
// file it leads to is replaced and keeps its permissions. Devices, pipes and standard output ("-") are
// written directly. All failures throw Error with the name.
class Sink {
public:
    explicit Sink(const std::string& path);
    ~Sink();
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void write(std::string_view text);
    // Replaces the target file. Nothing may be written after that.
    void commit();

private:
    std::string name_;       // escaped for messages
    std::string target_;     // the file that commit() replaces; empty for devices and streams
    std::string temporary_;  // the temporary name of the file that is being written
    std::FILE* file_ = nullptr;
};

// Writes to standard output immediately.
void write_standard_output(std::string_view text);

// Throws Error when `output` and `input` are the same file, so that writing one would destroy the other.
// Different names and links are resolved.
void refuse_to_overwrite(const std::string& input, const std::string& output);

// Returns true if two outputs are the same file, so that one would overwrite the other. The file need not
// exist.
bool would_be_one_file(const std::string& a, const std::string& b);

// Throws Error, as a Sink would, when a file cannot be written there, but changes nothing. Devices and pipes
// are not opened: closing a pipe would signal the end of the data to its reader.
void require_writable(const std::string& path);

}  // namespace attn
