#include "files/interruption.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>

#include "tensor/error.hpp"

namespace attn {

namespace {

constexpr std::array signals{SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

// Where a handler may look: no longer path exists, and the last byte stays 0.
std::array<char, PATH_MAX + 1> unfinished{};

extern "C" void delete_unfinished(int signal) {
    ::unlink(unfinished.data());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

std::string_view last_words;
int last_code = 0;

extern "C" void end_without_input(int) {
    ::unlink(unfinished.data());  // of an empty name there is no file
    // Said or not, this is the end.
    static_cast<void>(::write(STDERR_FILENO, last_words.data(), last_words.size()) == 0);
    ::_exit(last_code);
}

}  // namespace

DeletedOnInterruption::DeletedOnInterruption(const std::string& path) {
    if (path.size() >= unfinished.size()) {
        return;
    }
    std::ranges::fill(unfinished, '\0');
    std::ranges::copy(path, unfinished.begin());
    for (const int signal : signals) {
        if (std::signal(signal, delete_unfinished) == SIG_IGN) {
            std::signal(signal, SIG_IGN);
        }
    }
}

DeletedOnInterruption::~DeletedOnInterruption() {
    for (const int signal : signals) {
        if (std::signal(signal, SIG_DFL) == SIG_IGN) {
            std::signal(signal, SIG_IGN);
        }
    }
    unfinished[0] = '\0';
}

void end_when_input_is_lost(std::string_view message, int exit_code) {
    last_words = message;
    last_code = exit_code;
    std::signal(SIGBUS, end_without_input);
}

void require_stack() {
    constexpr rlim_t kib = 1024;
    constexpr rlim_t least = 256 * kib;  // five times what a run has been seen to take
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < least) {
        throw Error("the stack is limited to {} KiB, less than the {} KiB that a run may take.",
                    limit.rlim_cur / kib, least / kib);
    }
}

}  // namespace attn
