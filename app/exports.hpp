// The files a run can leave behind, one row each.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "files/sink.hpp"
#include "options.hpp"
#include "stages/trace.hpp"

namespace attn {

struct ExportRow {
    std::string_view name;  // of the option, without the dashes
    std::string_view help;
    void (*write)(Sink&, const Options&, const Trace&);
    void (*require)(const Trace&) = nullptr;  // throws Error for a trace that cannot be exported so
};

// In the order of the help.
std::span<const ExportRow> export_table();

// Throws Error when an export asked for cannot be written where it is to go, or would replace an input or
// another export: before anything is computed or written.
void require_targets(const Options& options);

// Writes all exports asked for, each whole or not at all; none when one of them cannot show this trace.
void write_exports(const Options& options, const Trace& trace);

// Whether an export goes to standard output, which then holds nothing else.
bool exports_to_standard_output(const Options& options);

// For a task that says something else in JSON than the trace: the target of --json, or nothing. Throws Error
// for any other export.
std::optional<std::string> json_target(const Options& options);

// Lets `write` fill a file, which appears only when all of it is there.
void write_target(const std::string& target, const std::function<void(Sink&)>& write);

}  // namespace attn
