// Asks diagnosis.hpp which mistake made numbers, in the walks on the document's lessons. Each question is a
// search, so their count is limited.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "judge/code_reading.hpp"
#include "judge/found_steps.hpp"

namespace attn {

class Searches {
public:
    // `found` returns the steps that a node is. The code must outlive the searches.
    Searches(const CodeReading& code, std::function<const std::vector<Found>&(std::size_t)> found)
        : code_(code), found_(std::move(found)) {}

    // The answer about a node. Only the first nodes are asked about: a loop may depart thousands of times.
    const Diagnosis& ask(std::size_t id);
    // The answers about printed tensors, each the best of all lessons.
    std::vector<Diagnosis> diagnose_in_chapters(const std::vector<PrintedTensor>& printed,
                                                std::optional<std::size_t> id);
    // True if all drawn weights of a node are those of the walks: they are no reason for other numbers.
    bool are_drawn_right(std::size_t id) const;

private:
    // Walks with the same weights, which are null if they are drawn from seeds.
    struct Candidates {
        WeightSource weights;
        std::vector<Candidate> all;
    };
    std::vector<Candidates> candidates(std::optional<std::size_t> id, const Chapter& chapter);
    PrintedTensor printed_as(std::size_t id) const;
    void keep_better(std::vector<Diagnosis>& best, const std::vector<PrintedTensor>& printed,
                     const Chapter& chapter, const Candidates& of) const;

    const CodeReading& code_;
    std::function<const std::vector<Found>&(std::size_t)> found_;
    std::map<std::size_t, Diagnosis> answers_{};
    std::size_t searches_ = 0;  // one for each chapter and set of weights
};

// The first mistake of a convincing answer; empty if there is none.
std::string_view mistake_of(const Diagnosis& answer);

// True for weights or inputs that were drawn in another way.
bool is_about_draws(const Match& match);

// True for weights or inputs that another function draws, in the right order.
bool is_drawn_otherwise(const Match& match);

}  // namespace attn
