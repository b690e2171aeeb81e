// All that the program does besides walks through stages. The program that run.sh builds first does none of
// it: there, not_here.cpp ends each of these functions with exit code 3, and run.sh builds the whole program.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command_line.hpp"
#include "options.hpp"
#include "stages/trace.hpp"
#include "tensor/error.hpp"
#include "views/format.hpp"

namespace attn {

// Returns the message of an error in the reader's language, and the command line to type instead on a line of
// its own, if one is accepted.
std::string refusal_text(const CommandLine& line, const Error& error);

// All formats that --out writes, one row each. There, only JSON is left.
std::span<const FileFormat> formats();

// Writes the page. A variant of a stage, with the mask, the scaling or dropout switched off, is included only
// if it changes a number.
void write_html(const WriteBytes& write, const Trace& trace, const Style& style);
// Returns the data of this page as JSON, with or without the variants.
std::string page_json(const Trace& trace, const Style& style, bool with_variants);

}  // namespace attn
