// Diagnoses as JSON, "format": "attn-walkthrough/diagnosis".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "files/json_value.hpp"
#include "printed/reader.hpp"

namespace attn {

Json match_json(const Match& match);

// Sentences are in the selected language. The question is the one that was diagnosed.
std::string diagnoses_json(const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses,
                           const Question& question, std::string_view language);

}  // namespace attn
