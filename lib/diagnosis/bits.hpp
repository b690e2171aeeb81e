// The value of an explanation of printed numbers, in bits: the surprise it removes, less its own description
// length.
#pragma once

#include <optional>
#include <vector>

#include "printed/tensor.hpp"

namespace attn {

// The parts of an explanation's description length.
struct Claim {
    double stages = 1.0;      // the number of stages searched
    double steps = 1.0;       // the number of steps of all these stages
    double parameters = 0.0;  // bits for the parameters
    // True if the numbers have the step's name, false if they have a different one; nothing when they have no
    // name.
    std::optional<bool> named = std::nullopt;
    double piece = 0.0;              // bits for the piece of the step
    double precision = 0.0;          // bits for the rounding of the numbers
    std::vector<double> mistakes{};  // bits for each mistake
};

// Returns the number of bits it takes to write the numbers, at the printed precision and `slack`, without
// knowing where they come from.
double surprise(const PrintedTensor& printed, double slack = 0.0);

// Returns the value, in bits, of an explanation of all numbers.
double worth(double surprise, const Claim& claim);

// A match of lower value may be chance.
inline constexpr double convincing = 7.0;

}  // namespace attn
