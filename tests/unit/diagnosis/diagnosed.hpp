// Diagnoses of pasted text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "mistaken.hpp"
#include "printed/reader.hpp"
#include "tensor/tensor_text.hpp"

namespace attn {

using Ids = std::vector<std::string_view>;

// A stage with all its parameters given, so that none is guessed.
inline Candidate candidate(std::string_view stage, void (*change)(Parameters&) = nullptr) {
    Parameters parameters = find_stage(stage)->defaults;
    if (change != nullptr) {
        change(parameters);
    }
    return {find_stage(stage), parameters, all_parameter_names()};
}

inline StageTrace walk(const Candidate& candidate) {
    return walk(*candidate.stage, journey(), candidate.parameters);
}

// Returns a step as PyTorch prints it.
inline std::string printed_step(const StageTrace& trace, std::string_view step) {
    return tensor_text(step_value(trace, step));
}

struct Asked {
    Inputs inputs{};
    std::string as{};
    bool search_seeds = false;
};

inline Diagnosis diagnosed(const std::string& text, const Candidate& candidate, const Asked& asked = {},
                           const Lesson& lesson = journey()) {
    const Question question{lesson, asked.inputs, {candidate}, asked.as, asked.search_seeds};
    return diagnose(read_tensors(text, "test").tensors, question).at(0);
}

inline Diagnosis diagnosed(const std::string& text, std::string_view stage = "causal",
                           const Asked& asked = {}) {
    return diagnosed(text, candidate(stage), asked);
}

// Returns the mistakes of the best match; without a match, "nothing".
inline Ids mistakes_of(const Diagnosis& diagnosis) {
    return diagnosis.matches.empty() ? Ids{"nothing"} : diagnosis.matches.front().mistakes;
}

}  // namespace attn
