// The only way bytes go out: a file that appears whole or not at all, a device or pipe that is written
// through, or standard output. Nothing is reported as written before the system has taken every byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "files/interruption.hpp"

namespace attn {

// A target being written, for output too large to hold as one text. A file is replaced by commit() alone,
// with its owner and mode kept; before, it is untouched, and without commit() nothing remains. A symbolic
// link stays, the file it leads to is replaced; of one with several names (hard links) there would be two,
// and it is refused. What is open already is written through: "-", standard output, and names such as
// /dev/stderr and /dev/fd/3. Every failure throws Error with the name.
class Sink {
public:
    explicit Sink(const std::string& path);
    ~Sink();
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void write(std::string_view text);
    // Tells how many bytes have been written, now and again; of a file that appears at the end, no other.
    void watch(std::function<void(std::uint64_t bytes)> watcher) { watcher_ = std::move(watcher); }
    // Puts the file in place, durably. Nothing may be written after it.
    void commit();

private:
    Sink() = default;  // what the public constructor builds on, so that a throw in it cleans up

    void open(const std::string& path, const std::string& file);
    void create_temporary(const std::string& folder, unsigned mode);
    void take_over(unsigned owner, unsigned group, unsigned mode);
    void flush();
    void pass_on(std::string_view text);
    [[noreturn]] void fail(int error) const;

    std::string name_;       // as messages show it
    std::string target_;     // the file that commit() replaces; empty when written through
    std::string temporary_;  // what is written until then; empty when there is none
    std::optional<DeletedOnInterruption> until_committed_;
    std::string buffer_;
    std::function<void(std::uint64_t)> watcher_;
    std::uint64_t written_ = 0;
    int descriptor_ = -1;
    int folder_ = -1;  // the target's folder, synchronised so that the new name survives a power cut
};

// Writes to standard output at once, past the buffers of C and C++. A reader that went away ends the program
// by SIGPIPE, quietly, unless that signal is ignored.
void write_standard_output(std::string_view text);

// Throws Error when writing `output` would replace the regular file read as `input`, by whatever names and
// links, also that of standard input; an output of "-" and devices are none.
void refuse_to_overwrite(const std::string& input, const std::string& output);

// Whether two outputs are one file, which need not exist yet, and one of them would replace what the other
// wrote; pipes, devices and what is open already are written through, and take both.
bool leads_to_one_file(const std::string& a, const std::string& b);

// Throws Error, as a Sink would, when a file cannot be written there, and leaves all as it is. What is no
// file is not opened: that would tell a reader at the other end that all has been written.
void require_writable(const std::string& path);

}  // namespace attn
