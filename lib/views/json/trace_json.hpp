// The trace for programs: everything the text shows, and every number in full.
#pragma once

#include "files/json_writer.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"

namespace attn {

// {"format": "attn-walkthrough/trace", "version": 1, …}: the same trace gives the same bytes. `options` are
// those of "printed"; "data" is always complete. `language` is that of titles and notes.
void write_trace(JsonWriter& json, const Trace& trace, std::string_view language,
                 const PrintOptions& options);

}  // namespace attn
