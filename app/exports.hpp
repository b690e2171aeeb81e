// The files a run leaves behind: each is tried before anything is computed, and appears whole or not at all.
#pragma once

#include <functional>
#include <string>

#include "files/json_writer.hpp"
#include "options.hpp"
#include "stages/trace.hpp"

namespace attn {

// Throws Error when an export asked for cannot be written where it is to go, or would replace an input or
// another export.
void require_targets(const Options& options);

// Writes what was asked for; nothing when one of the formats cannot show this trace.
void write_exports(const Options& options, const Trace& trace);

// The same for a task that has JSON of its own instead of the trace's, and no other format.
void write_exports(const Options& options, const std::function<void(JsonWriter&)>& write_json);

// Writes one file, or to standard output, whole or not at all.
void write_target(const std::string& target, const std::function<void(const WriteBytes&)>& write);

// Whether an export goes to standard output, which then holds nothing else.
bool exports_to_standard_output(const Options& options);

}  // namespace attn
