// Diagnoses as text for the terminal.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "printed/reader.hpp"
#include "words/words.hpp"

namespace attn {

std::string diagnosis_text(const PrintedText& pasted, const std::vector<Diagnosis>& diagnoses,
                           const Question& question, const Words& phrases,
                           const SpellSettings& spell = as_arguments);

}  // namespace attn
