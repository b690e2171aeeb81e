// One step as comma-separated values, for spreadsheets and data frames. The last axis becomes the columns.
// The indices of the other axes label the rows; tokens have their names.
#pragma once

#include <string>

#include "views/format.hpp"

namespace attn {

// Writes CSV as in RFC 4180, but lines end in a line feed only. Numbers have all their digits; inf and nan
// are spelled as in Python.
void write_csv(const WriteBytes& write, const Trace& trace, const Style& style);
void require_one_step(const Trace& trace);

// Returns untrusted text as a field that spreadsheets do not treat as a formula.
std::string csv_token(const std::string& token);

}  // namespace attn
