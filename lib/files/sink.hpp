// All output of the program is written here: to files, which appear complete or not at all, to devices and
// pipes, or to standard output.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace attn {

// An output that is being written. A file is written next to its target under a temporary name; finish()
// closes it, and commit() renames it. Until then, the target stays unchanged. If the target is a symbolic
// link, the file to which it leads is replaced. Permissions stay. Devices, pipes and standard output ("-")
// are written directly. Every failure throws Error with the name of the output; so does a file that was read.
class Sink {
public:
    explicit Sink(const std::string& path);
    ~Sink();
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void write(std::string_view text);
    // Closes the file. Afterwards nothing may be written, and only the renaming can still fail.
    void finish();
    // Replaces the target file by the finished one.
    void commit();

private:
    std::string name_;       // the name as messages show it
    std::string target_;     // the file that commit() replaces; empty for devices and streams
    std::string temporary_;  // the temporary name of the file that is being written
    std::FILE* file_ = nullptr;
};

// Writes to standard output immediately.
void write_standard_output(std::string_view text);

// Throws Error if the output is a file that was read, as was_read() finds out. A Sink does so itself; a run
// that writes several files calls this for all of them first.
void refuse_to_overwrite_input(const std::string& output);

// Returns true if two outputs are the same file. The file need not exist yet.
bool would_be_one_file(const std::string& a, const std::string& b);

// Throws Error if a Sink could not write this file, but changes nothing. Devices and pipes are not opened,
// because the reader of a pipe would take its closing for the end of the data.
void require_writable(const std::string& path);

}  // namespace attn
