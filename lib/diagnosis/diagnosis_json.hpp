// Diagnoses as JSON, "format": "attn-walkthrough/diagnosis".
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "files/json_writer.hpp"
#include "printed/reader.hpp"

namespace attn {

// Words for people, as in all JSON, are in the language asked for.
void write_diagnoses(JsonWriter& json, const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses,
                     std::string_view language);

}  // namespace attn
