// SIGINT is blocked but while waiting for input, so that it is never lost between two checks: ppoll unblocks
// it and waits in one step.
#include "files/interruptible_input.hpp"

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

// What is restored at the end. There is one reader at a time, as there is one standard input.
sigset_t mask_before;
struct sigaction action_before;

}  // namespace

InterruptibleInput::InterruptibleInput() {
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

InterruptibleInput::~InterruptibleInput() {
    ::sigprocmask(SIG_SETMASK, &mask_before, nullptr);  // first: one that is pending still ends nothing
    ::sigaction(SIGINT, &action_before, nullptr);
}

bool InterruptibleInput::is_terminal() const {
    return ::isatty(STDIN_FILENO) == 1;
}

bool InterruptibleInput::is_interrupted() const {
    return interrupted != 0;
}

bool InterruptibleInput::read(std::string& buffer) {
    sigset_t while_waiting = mask_before;
    ::sigdelset(&while_waiting, SIGINT);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (interrupted == 0) {
        if (::ppoll(&input, 1, nullptr, &while_waiting) < 0 && errno == EINTR) {
            continue;
        }
        char bytes[4096];
        const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (count >= 0) {
            buffer.append(bytes, static_cast<std::size_t>(count));
            return count > 0;
        }
        if (errno != EINTR && errno != EAGAIN) {
            throw Error("standard input: cannot be read ({}).", std::generic_category().message(errno));
        }
    }
    return false;
}

}  // namespace attn
