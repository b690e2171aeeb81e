// A single wrong number: a mistyped digit in the paste, or a changed number of the inputs. Which one is
// worked out from the numbers, for there are too many to try.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

struct Slip {
    Piece piece;
    double bits = 0.0;  // that it takes to say which number it is, and what became of it
    double largest_difference = 0.0;
    std::string line{};  // `inputs[3][1] = 0.85`
    std::string instead_of{};
};

// All numbers but one agree with a piece of the step, and that one does but for a digit, two digits that
// changed places, or its sign.
std::optional<Slip> mistyped(const Pattern& pasted, const Node& step);

// Walks a stage with other inputs than the lesson's.
class OtherInput {
public:
    // `steps`: those that are asked for.
    OtherInput(const RightWalk& right, const Question& question, std::vector<std::size_t> steps);

    // The one number of the inputs that makes a piece of the step what was pasted.
    std::optional<Slip> find(const Pattern& pasted, std::size_t step);

private:
    struct Guess;

    Tensor with(std::size_t cell, float value) const;
    StageTrace walk_with(std::size_t cell, float value) const;
    Tensor in(const StageTrace& walked, std::size_t step) const;
    void move_inputs();
    std::vector<Guess> guesses(const Pattern& pasted, const std::vector<double>& wanted, std::size_t step,
                               const std::vector<Piece>& pieces);
    std::optional<float> solve(const Guess& guess, const std::vector<double>& wanted, std::size_t step) const;
    Slip slip(const Guess& guess, float value, double scale, double difference) const;

    const RightWalk* right_;
    const Question* question_;
    std::vector<std::size_t> steps_;
    // Each step, for each number of the inputs moved a little.
    std::map<std::size_t, std::vector<Tensor>> moved_{};
};

}  // namespace attn
