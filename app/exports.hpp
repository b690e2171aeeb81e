// The files that a run writes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "options.hpp"
#include "views/format.hpp"

namespace attn {

// Returns the format for a file name's suffix, in lower or upper case; null if no format has that suffix.
const FileFormat* format_of_suffix(std::string_view name);

// Returns the file given to an option such as --out; `-.csv` means standard output. `suffixes` are those of
// the command, such as ".md .tex"; empty: all. Throws Error for another suffix.
Export export_to(std::string_view option, const std::string& name, std::string_view suffixes = "");

// Prepares a command before anything is computed: sets the number of threads and checks options and files.
// Throws Error for an option that no chosen stage uses, and for a file that cannot be written. Throws Error
// also for two exports to the same file, and for two inputs from standard input; a `data` of "-" counts.
void prepare(const RunOptions& options, std::string_view data = "");

// Writes each file of the options, or to standard output for "-", through a Sink. No file is replaced until
// all are complete. Throws Error if one cannot be written, or would replace a file that was read.
void write_exports(const RunOptions& options,
                   const std::function<void(const Export&, const WriteBytes&)>& write);

// Writes the text that `content` returns to each file of the options.
void write_exports(const RunOptions& options, const std::function<std::string()>& content);

// Writes an answer to each file of the options; shows its text, unless a file goes to standard output.
void write_or_show(const RunOptions& options, const std::function<std::string()>& content,
                   std::string_view text);

// Returns true if an export goes to standard output; then nothing else may be written there.
bool exports_to_standard_output(const RunOptions& options);

}  // namespace attn
