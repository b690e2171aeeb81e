// Diagnoses as JSON, "format": "attn-walkthrough/diagnosis".
#pragma once

#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "files/json_writer.hpp"
#include "printed/reader.hpp"

namespace attn {

void write_diagnoses(JsonWriter& json, const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses);

}  // namespace attn
