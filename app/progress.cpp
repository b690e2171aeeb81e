#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "terminal.hpp"
#include "text/width.hpp"

namespace attn {

namespace {

using Clock = std::chrono::steady_clock;

// When to show a line next: a second after the start of the program, and then ten times a second.
Clock::time_point due = Clock::now() + std::chrono::seconds(1);
constexpr std::chrono::milliseconds pause{100};

constexpr std::string_view erase_line = "\r\x1b[K";

}  // namespace

Progress::Progress() : columns_(error_columns()) {}

Progress::~Progress() {
    if (shown_) {
        std::fwrite(erase_line.data(), 1, erase_line.size(), stderr);
    }
}

void Progress::report(std::string_view what) {
    if (columns_ == 0 || Clock::now() < due) {
        return;
    }
    due = Clock::now() + pause;
    shown_ = true;
    const std::string line = std::string(erase_line) + cut_to(what, std::max<std::size_t>(columns_, 2) - 1);
    std::fwrite(line.data(), 1, line.size(), stderr);
}

void Progress::conclude(std::string_view what) {
    if (columns_ == 0) {
        return;
    }
    const std::string line = (shown_ ? std::string(erase_line) : "") + std::string(what) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    shown_ = false;
}

}  // namespace attn
