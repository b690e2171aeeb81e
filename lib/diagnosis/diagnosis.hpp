// Identifies a pasted tensor: a step of a stage, a step changed by a mistake, or the nearest step. Reading it
// is printed/reader.hpp's.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/bits.hpp"
#include "diagnosis/pieces.hpp"
#include "printed/tensor.hpp"
#include "stages/trace.hpp"

namespace attn {

// A stage that the numbers may come from, and the parameters it is taken to have been run with.
struct Candidate {
    const Stage* stage;
    Parameters parameters;
    std::vector<std::string_view>
        given{};            // names of those that are settled; the others may have been others
    bool asked_for = true;  // otherwise it is left out where the parameters do not fit it
};

struct Question {
    const Lesson& lesson;
    Inputs inputs;
    std::vector<Candidate> candidates;                            // in the order in which they are preferred
    std::string as{};                                             // the step it is meant to be; empty: any
    bool search_seeds = false;                                    // try every seed up to last_searched_seed
    std::function<void(std::string_view stage)> watch = nullptr;  // is told what is being tried
    double seconds = 0.0;  // of the processor, after which no new search begins; 0: without end
};

inline constexpr std::uint64_t last_searched_seed = 10000;

// A piece of a step, and the mistakes that make it what was pasted; none: it is the step itself.
struct Match {
    const Stage* stage;
    Parameters parameters;   // resolved
    std::string document{};  // that prints a table with these parameters; may be empty
    std::string erratum{};   // that has these numbers, with this mistake; may be empty
    std::string step;
    std::string label{};                         // of the tensor, where it names a different step
    std::vector<std::string_view> not_chosen{};  // parameters neither given nor the stage's or a document's
    std::size_t place = 0;                       // of the step among those of the stage
    Piece piece{};
    std::string_view
        precision{};  // "float32", "float16", … where rounding makes a difference; otherwise empty
    std::vector<std::string_view> mistakes{};
    std::vector<std::string> changes{};  // the steps of the stage that the mistakes change
    double bits = 0.0;                   // that the explanation is worth (bits.hpp)
    double largest_difference = 0.0;
    // The lines that make the difference, and those that are right; empty for a step itself.
    std::string line{};
    std::string instead_of{};
};

// The step whose numbers differ least, where no explanation was found.
struct Nearest {
    const Stage* stage;
    Parameters parameters;
    std::string step;
    std::size_t numbers = 0;
    std::size_t numbers_agreeing = 0;
    // The same without 0, 1, inf and nan, which masks and softmax force on many steps.
    std::size_t free_numbers = 0;
    std::size_t free_agreeing = 0;
    double largest_difference = 0.0;
    Index first{};  // the first cell that differs
    Shape shape{};
    std::string piece{};  // of the step, as Python takes it
    double pasted = 0.0;  // the number there
    float right = 0.0F;
    std::vector<std::size_t> rows_agreeing{};  // of the last axis but one, where the shape has two axes
    bool is_named = false;                     // the tensor is called as the step is

    // Otherwise it has the shape, and little else.
    bool is_near() const { return (free_agreeing > 0 && 2 * free_agreeing >= free_numbers) || is_named; }
};

struct Diagnosis {
    std::vector<Match> matches;  // those worth most first
    std::optional<Nearest> nearest;
    std::string inherits{};  // the step before it that differs first, where this one only follows from it
    // What the time did not suffice for: "mistakes", "slips", "seeds" or "pairs".
    std::vector<std::string_view> not_tried{};

    bool is_right() const { return !matches.empty() && matches.front().mistakes.empty(); }
    // A mistake in a step that is right as well: the digits are too few to tell them apart. None: null.
    const Match* rival() const {
        constexpr double as_likely = 15.0;  // bits: rarer mistakes are left out
        const auto is_rival = [&](const Match& wrong) {
            return !wrong.mistakes.empty() && wrong.bits > matches.front().bits - as_likely &&
                   std::ranges::any_of(matches, [&](const Match& right) {
                       return right.mistakes.empty() && right.step == wrong.step &&
                              right.stage == wrong.stage;
                   });
        };
        const auto found = is_right() ? std::ranges::find_if(matches, is_rival) : matches.end();
        return found == matches.end() ? nullptr : &*found;
    }
    // Otherwise the numbers are too few to tell.
    bool is_decided() const { return !matches.empty() && matches.front().bits >= convincing; }
    // The step it is taken for, or is nearest to; empty: none.
    std::string_view step() const {
        return !matches.empty() ? std::string_view(matches.front().step)
               : nearest        ? std::string_view(nearest->step)
                                : "";
    }
};

// True if all numbers agree with right ones at parameters the reader chose, and some numbers decide it.
bool all_right(const std::vector<Diagnosis>& diagnoses);

// One diagnosis for each tensor. Throws Error when a candidate cannot be walked, or `as` is not a step of
// any.
std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question);

}  // namespace attn
