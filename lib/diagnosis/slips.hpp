// A single wrong number: mistyped in the paste, or changed in the inputs. The right number is computed from
// the differences, because trying all changes would take too long.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"
#include "notebook/replay.hpp"

namespace attn {

struct Slip {
    Piece piece;
    double bits = 0.0;  // description length of the number and its change
    double largest_difference = 0.0;
    std::string line{};  // `inputs[3][1] = 0.85`
    std::string instead_of{};
};

// Returns the wrong number if all others agree with a piece of the step. It must differ from the right one in
// a digit, in two exchanged digits, or in its sign.
std::optional<Slip> mistyped(const Pattern& pasted, const Node& step);

// Repeats a walk with one number of the inputs changed.
class OtherInput {
public:
    // `steps` are the steps that may contain the pasted numbers.
    OtherInput(const RightWalk& right, const Tensor& inputs, std::vector<std::size_t> steps);

    // Finds one number of the inputs whose change turns a piece of the step into the pasted numbers. Returns
    // nothing after thousands of changes: where two numbers are pasted, nearly any input promises to fit.
    std::optional<Slip> find(const Pattern& pasted, std::size_t step);

private:
    struct Guess;

    // Returns false if the walk has no such inputs, if only the stage itself can repeat it, or after too many
    // changes.
    bool change(std::size_t cell, float value);
    const Tensor& value_of(std::size_t step) const;
    bool move_inputs();
    std::vector<Guess> guesses(const Pattern& pasted, const std::vector<double>& wanted, std::size_t step,
                               const std::vector<Piece>& pieces) const;
    std::optional<float> solve(const Guess& guess, const std::vector<double>& wanted, std::size_t step);
    Slip slip(const Guess& guess, float value, double scale, double difference) const;

    const RightWalk* right_;
    const Tensor* inputs_;
    std::vector<std::size_t> steps_;
    Replay replay_;
    std::size_t given_;  // the node of the inputs, or the number of nodes if there is none
    std::size_t changes_ = 0;

    // For each step, its tensors after a slight change of one input, one per input.
    std::map<std::size_t, std::vector<Tensor>> moved_{};
};

}  // namespace attn
