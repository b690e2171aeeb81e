// Identifies a pasted tensor: it is a step of a stage, a step changed by a mistake, or nearest to some step.
// printed/reader.hpp reads the paste.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/costs.hpp"
#include "diagnosis/pieces.hpp"
#include "printed/tensor.hpp"
#include "stages/trace.hpp"

namespace attn {

// A stage that may have produced the numbers, and the parameters to assume.
struct Candidate {
    const Stage* stage;
    Parameters parameters;
    // Names of the parameters whose values are fixed; the others may differ.
    std::vector<std::string_view> given{};
    // If the parameters do not fit the stage: true throws Error, false skips the stage.
    bool asked_for = true;
};

struct Question {
    const Lesson& lesson;
    Inputs inputs;
    std::vector<Candidate> candidates;        // the preferred ones first
    std::string as{};                         // the step given with --as; empty: any
    bool search_seeds = false;                // try every seed up to last_searched_seed
    bool only_likely = false;                 // try only right steps and single mistakes
    std::vector<std::string_view> unknown{};  // mistakes of the tables that are not tried, for measurements
};

inline constexpr std::uint64_t last_searched_seed = 10000;

// A piece of a step, and the mistakes that turn it into the pasted numbers. With an empty list of mistakes,
// the pasted numbers are right.
struct Match {
    const Stage* stage;
    Parameters parameters;   // the parameters, with the lesson's sizes filled in
    std::string document{};  // the document with a table for these parameters; may be empty
    std::string erratum{};   // the known erratum that this match is; may be empty
    std::string step;
    std::string label{};  // the label of the tensor if it names a different step, else empty
    std::vector<std::string_view> not_chosen{};  // parameters without a known value
    std::size_t place = 0;                       // the step's place among the steps of its stage
    bool is_result = false;                      // true for the last step of the stage
    Piece piece{};
    std::string grad_fn{};  // the grad_fn of the step, if the tensor has a different one.
    // The type to which the numbers were rounded, such as "float16"; may be empty.
    std::string_view precision{};
    std::vector<std::string_view> mistakes{};
    std::vector<std::string> changes{};  // names of the steps that the mistakes change
    double bits = 0.0;                   // the value of the explanation (bits.hpp)
    double mistake_bits = 0.0;           // the cost of the mistakes; part of `bits`
    double largest_difference = 0.0;
    // The wrong lines of code and the right ones; both empty if the step is right.
    std::string line{};
    std::string instead_of{};

    // Returns true if the numbers are right for other settings, such as a different seed.
    bool has_other_settings() const;
    // True if the numbers are the whole step that the question names.
    bool is_asked_for = false;

    // Returns false if so few digits may agree by chance.
    bool is_convincing() const {
        return is_asked_for || bits >= (mistakes.empty() ? convincing : convincing_mistake);
    }
};

// The step whose numbers differ least, for a tensor without an explanation.
struct Nearest {
    const Stage* stage;
    Parameters parameters;
    std::string step;
    std::size_t numbers = 0;
    std::size_t numbers_agreeing = 0;
    // The two counts below leave out 0, 1, inf and nan, because masks and softmax produce these in many
    // steps.
    std::size_t free_numbers = 0;
    std::size_t free_agreeing = 0;
    double largest_difference = 0.0;
    Index first{};  // the first cell that differs
    Shape shape{};
    std::string piece{};  // the piece of the step, as Python code
    double pasted = 0.0;  // the pasted number in the cell `first`
    float right = 0.0F;
    std::vector<std::size_t> rows_agreeing{};  // the agreeing rows, if the shape has two axes
    bool is_named = false;                     // true if the tensor has the step's name

    // Returns false if the step only has the same shape and few equal numbers.
    bool is_near() const { return (free_agreeing > 0 && 2 * free_agreeing >= free_numbers) || is_named; }
};

struct Diagnosis {
    std::vector<Match> matches;  // the explanations, the best first
    std::optional<Nearest> nearest;
    // The first differing step, if this step differs only because of it; may be empty.
    std::string inherits{};
    // The searches that the budget left out: "steps", "mistakes", "numbers", "seeds", "pairs" or "nearest".
    std::vector<std::string_view> not_tried{};

    bool is_named = false;      // true if a label or the question names the step
    bool is_elsewhere = false;  // true if only a stage that was not chosen explains the numbers

    bool is_right() const { return !matches.empty() && matches.front().mistakes.empty(); }
    // Returns a mistake that explains the digits as well as the right step does; null if there is none.
    // Either too few digits are printed, or the mistake makes a stage's result equal to an earlier step and
    // the tensor has no label.
    const Match* rival() const;
    // Returns false if there are too few numbers to decide.
    bool is_decided() const { return !matches.empty() && matches.front().is_convincing(); }
    // Returns the name of the explained or the nearest step; empty if there is neither.
    std::string_view step() const {
        return !matches.empty() ? std::string_view(matches.front().step)
               : nearest        ? std::string_view(nearest->step)
                                : "";
    }
};

// Returns true if all tensors are right with the user's stages and parameters, and at least one has enough
// digits to decide.
bool all_right(const std::vector<Diagnosis>& diagnoses);

// Returns one diagnosis per tensor. Throws Error when a candidate cannot be walked, or no candidate has a
// step called `as`.
std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question);

}  // namespace attn
