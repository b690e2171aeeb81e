// The only way bytes go out: a file that appears whole or not at all, a device or pipe, or standard output.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace attn {

// A target being written. A file is written beside its target under another name; commit() checks that and
// renames it, and before, or without it, the target is as it was. A symbolic link stays, and the file it
// leads to is replaced and keeps its mode. Devices, pipes and "-", standard output, are written at once.
// Every failure throws Error with the name.
class Sink {
public:
    explicit Sink(const std::string& path);
    ~Sink();
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void write(std::string_view text);
    // Puts the file in place. Nothing may be written after it.
    void commit();

private:
    std::string name_;       // as messages show it
    std::string target_;     // the file that commit() replaces; empty for devices and streams
    std::string temporary_;  // until then
    std::FILE* file_ = nullptr;
};

// Writes to standard output at once.
void write_standard_output(std::string_view text);

// Throws Error when writing `output` would replace the file read as `input`, by whatever names and links.
void refuse_to_overwrite(const std::string& input, const std::string& output);

// True if two outputs are one file, which need not exist yet, and one would replace what the other wrote.
bool would_be_one_file(const std::string& a, const std::string& b);

// Throws Error, as a Sink would, when a file cannot be written there, and leaves everything as it is. Devices
// and pipes are not opened: that would tell a reader at the other end that all has been written.
void require_writable(const std::string& path);

}  // namespace attn
