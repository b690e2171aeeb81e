// What an interruption leaves behind: nothing. A run that is stopped from the keyboard or by the system while
// it writes a file takes the unfinished one with it.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// While it lives, the signals by which others end a program (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, …)
// delete this file before they do. One at a time; a signal that was ignored stays ignored.
class DeletedOnInterruption {
public:
    explicit DeletedOnInterruption(const std::string& path);
    ~DeletedOnInterruption();
    DeletedOnInterruption(const DeletedOnInterruption&) = delete;
    DeletedOnInterruption& operator=(const DeletedOnInterruption&) = delete;
};

// From now on a mapped file that becomes shorter while it is read, or whose disk fails, ends the program with
// this message on standard error and this exit code, an unfinished file deleted: SIGBUS would end it anyway.
void end_when_input_is_lost(std::string_view message, int exit_code);

// Throws Error when the system allows less stack than may be needed, for which it would end the program
// without a word.
void require_stack();

}  // namespace attn
