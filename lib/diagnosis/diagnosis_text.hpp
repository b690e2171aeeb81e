// Diagnoses as a reader reads them.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "words/words.hpp"

namespace attn {

std::string diagnosis_text(const std::vector<PrintedTensor>& tensors, const std::vector<Diagnosis>& diagnoses,
                           const Question& question, const Words& phrases,
                           const SpellSettings& spell = as_arguments);

}  // namespace attn
