// SIGINT is blocked but while waiting for input, so that it is never lost between two checks: ppoll unblocks
// it and waits in one step.
#include "files/line_reader.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "tensor/error.hpp"

namespace attn {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) {
    interrupted = 1;
}

// What is restored when the reader ends. There is one reader at a time, as there is one standard input.
sigset_t mask_before;
struct sigaction action_before;

}  // namespace

LineReader::LineReader() {
    interrupted = 0;
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGINT);
    ::sigprocmask(SIG_BLOCK, &blocked, &mask_before);
    ::sigaction(SIGINT, nullptr, &action_before);
    if (action_before.sa_handler != SIG_IGN) {
        struct sigaction action {};
        action.sa_handler = interrupt;  // without SA_RESTART: waiting ends
        ::sigaction(SIGINT, &action, nullptr);
    }
}

LineReader::~LineReader() {
    ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);  // first: one that is pending still ends nothing
    ::sigaction(SIGINT, &action_before, nullptr);
}

bool LineReader::is_terminal() const {
    return ::isatty(STDIN_FILENO) == 1;
}

bool LineReader::is_interrupted() const {
    return interrupted != 0;
}

// More bytes; false at the end.
bool LineReader::fill() {
    sigset_t while_waiting = mask_before;
    ::sigdelset(&while_waiting, SIGINT);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (interrupted == 0) {
        if (::ppoll(&input, 1, nullptr, &while_waiting) < 0 && errno == EINTR) {
            continue;
        }
        char bytes[max_line_bytes];
        const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (count >= 0) {
            buffer_.append(bytes, static_cast<std::size_t>(count));
            return count > 0;
        }
        if (errno != EINTR && errno != EAGAIN) {
            throw Error(
                fmt::format("standard input: cannot be read ({}).", std::generic_category().message(errno)));
        }
    }
    return false;
}

std::optional<std::string> LineReader::next() {
    buffer_.erase(0, at_);
    at_ = 0;
    std::size_t end = buffer_.find('\n');
    while (end == std::string::npos) {
        const std::size_t had = buffer_.size();
        if (!fill()) {
            end = buffer_.size();
            if (end == 0 || interrupted != 0) {
                return std::nullopt;
            }
            at_ = end;
            return buffer_.substr(0, max_line_bytes);  // the last line has no end
        }
        end = buffer_.find('\n', had);
        if (end == std::string::npos && buffer_.size() > 2 * max_line_bytes) {
            buffer_.resize(max_line_bytes);  // what is behind will not be looked at
        }
    }
    at_ = end + 1;
    std::string line = buffer_.substr(0, std::min(end, max_line_bytes));
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return line;
}

}  // namespace attn
