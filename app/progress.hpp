// Shows the progress of a long run.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

// One line on standard error, rewritten as the run goes on and erased at its end. Only a terminal gets it,
// and only once the program has run for a second.
class Progress {
public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Shows `what`, unless it is too soon since the last time.
    void report(std::string_view what);
    // Leaves a line that says what was done.
    void conclude(std::string_view what);

private:
    std::size_t columns_;  // of the terminal; 0: none is there
    bool shown_ = false;
};

}  // namespace attn
