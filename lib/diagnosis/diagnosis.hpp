// Identifies a pasted tensor: as a step of a stage, as a step changed by a mistake, or by the nearest step.
// The paste is read by printed/reader.hpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/bits.hpp"
#include "diagnosis/pieces.hpp"
#include "printed/tensor.hpp"
#include "stages/trace.hpp"

namespace attn {

// A stage that may have produced the numbers, and the parameters to assume.
struct Candidate {
    const Stage* stage;
    Parameters parameters;
    std::vector<std::string_view> given{};  // names of parameters with fixed values; others may differ
    bool asked_for = true;  // false: skip the stage if the parameters do not fit it; true: throw Error
};

struct Question {
    const Lesson& lesson;
    Inputs inputs;
    std::vector<Candidate> candidates;  // the preferred ones first
    std::string as{};                   // the step given with --as; empty: any
    bool search_seeds = false;          // try every seed up to last_searched_seed
    double seconds = 0.0;               // processor time after which no new search begins; 0: no limit
};

inline constexpr std::uint64_t last_searched_seed = 10000;

// A piece of a step, and the mistakes that turn it into the pasted numbers. Without mistakes, it is the step
// itself.
struct Match {
    const Stage* stage;
    Parameters parameters;   // the parameters, with the lesson's sizes filled in
    std::string document{};  // the document that prints a table with these parameters; may be empty
    std::string erratum{};   // the erratum with these numbers and this mistake; may be empty
    std::string step;
    std::string label{};                         // the tensor's label, if it names a different step
    std::vector<std::string_view> not_chosen{};  // parameters without a known value
    std::size_t place = 0;                       // the step's place among the steps of its stage
    bool is_result = false;                      // true for the last step of the stage
    Piece piece{};
    std::string_view precision{};  // "float16", … if the numbers were rounded to it; or empty
    std::vector<std::string_view> mistakes{};
    std::vector<std::string> changes{};  // the steps of the stage that the mistakes change
    double bits = 0.0;                   // the value of the explanation (bits.hpp)
    double largest_difference = 0.0;
    // The lines that differ from the right ones, and the right lines; empty if the step is right.
    std::string line{};
    std::string instead_of{};
};

// The step whose numbers differ least, when no explanation was found.
struct Nearest {
    const Stage* stage;
    Parameters parameters;
    std::string step;
    std::size_t numbers = 0;
    std::size_t numbers_agreeing = 0;
    // These two counts leave out 0, 1, inf and nan, which masks and softmax produce in many steps.
    std::size_t free_numbers = 0;
    std::size_t free_agreeing = 0;
    double largest_difference = 0.0;
    Index first{};  // the first cell that differs
    Shape shape{};
    std::string piece{};  // the piece of the step, as Python code
    double pasted = 0.0;  // the pasted number in that cell
    float right = 0.0F;
    std::vector<std::size_t> rows_agreeing{};  // the agreeing rows, if the shape has two axes
    bool is_named = false;                     // true if the tensor has the step's name

    // Returns false if the step has only the same shape, but few equal numbers.
    bool is_near() const { return (free_agreeing > 0 && 2 * free_agreeing >= free_numbers) || is_named; }
};

struct Diagnosis {
    std::vector<Match> matches;  // the explanations, the best first
    std::optional<Nearest> nearest;
    std::string inherits{};  // the earlier step that differs first, if this one only inherits the difference
    // The searches for which there was no time or memory: "steps", "mistakes", "slips", "seeds", "pairs" or
    // "nearest".
    std::vector<std::string_view> not_tried{};

    bool is_named = false;  // true if a label or the question names the step

    bool is_right() const { return !matches.empty() && matches.front().mistakes.empty(); }
    // Returns a mistake that has the same digits as a right step, because too few digits are printed. Also
    // returns a mistake that makes the result of a stage equal to an earlier step, if no label tells them
    // apart. Returns null if there is neither.
    const Match* rival() const;
    // Returns false if there are too few numbers to decide.
    bool is_decided() const { return !matches.empty() && matches.front().bits >= convincing; }
    // Returns the step found or the nearest one; empty: none.
    std::string_view step() const {
        return !matches.empty() ? std::string_view(matches.front().step)
               : nearest        ? std::string_view(nearest->step)
                                : "";
    }
};

// Returns true if all numbers are right at the parameters the user chose, and some of them are decisive.
bool all_right(const std::vector<Diagnosis>& diagnoses);

// Returns one diagnosis per tensor. Throws Error when a candidate cannot be walked, or no candidate has a
// step called `as`.
std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question);

}  // namespace attn
