// Diagnoses as JSON, "format": "attn-walkthrough/diagnosis".
#pragma once

#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "files/json_writer.hpp"

namespace attn {

void write_diagnoses(JsonWriter& json, const std::vector<PrintedTensor>& tensors,
                     const std::vector<Diagnosis>& diagnoses);

}  // namespace attn
