#include "io/interruption.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>

namespace attn {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

// Where a handler may look: no longer path exists, and the last byte stays 0.
std::array<char, PATH_MAX + 1> unfinished{};

extern "C" void delete_unfinished(int signal) {
    ::unlink(unfinished.data());
    std::signal(signal, SIG_DFL);
    std::raise(signal);
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
}

}  // namespace attn
