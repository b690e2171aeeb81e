// From the trace to what is shown and exported.
#pragma once

#include <string>

#include "options.hpp"
#include "walkthrough/trace.hpp"

namespace attn {

struct Report {
    std::string text;    // for standard output
    bool agrees = true;  // all that was compared
};

Report make_report(const Options& options, const Trace& trace);

// Exports the trace to the target of --json.
void write_json(const Options& options, const Trace& trace);

}  // namespace attn
