// The files a run writes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "options.hpp"
#include "stages/trace.hpp"
#include "views/format.hpp"

namespace attn {

// The format of a file called so, by its suffix in lower or upper case; null where none has it.
const FileFormat* format_of_suffix(std::string_view name);

// The file named by an option such as --out; `-.csv` is standard output. Throws Error for a suffix of no
// format.
Export export_to(std::string_view option, const std::string& name);

// Writes a target, a file or "-", through a Sink.
void write_target(const std::string& target, const std::function<void(const WriteBytes&)>& write);

// Begins every run of a command, before anything is computed: sets threads. Throws Error for options that no
// chosen stage uses, for files that cannot be written or would replace an input, and where two exports name
// the same file or two inputs are standard input.
void prepare(const Options& options);

// Writes the trace into each file, or the text that `json` makes of a result.
void write_exports(const Options& options, const Trace& trace);
void write_exports(const Options& options, const std::function<std::string()>& json);

// Then standard output holds nothing else.
bool exports_to_standard_output(const Options& options);

}  // namespace attn
