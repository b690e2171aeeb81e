// How well an explanation of printed numbers pays, in bits: what it explains, less what it takes to say.
#pragma once

#include <optional>
#include <vector>

#include "printed/tensor.hpp"

namespace attn {

// Description length of an explanation.
struct Claim {
    double stages = 1.0;      // that were searched
    double steps = 1.0;       // that they have, all together
    double parameters = 0.0;  // bits it takes to say which they are
    // True if the numbers are called as the step is; nothing when they have no name.
    std::optional<bool> named = std::nullopt;
    double piece = 0.0;              // bits it takes to say which piece of the step it is
    double precision = 0.0;          // bits it takes to say how the numbers were rounded
    std::vector<double> mistakes{};  // bits it takes to say each
};

// The bits it takes to write the numbers down, as precisely as printed and `slack`, for somebody who does not
// know where they come from.
double surprise(const PrintedTensor& printed, double slack = 0.0);

// How many bits an explanation of all numbers is worth.
double worth(double surprise, const Claim& claim);

// A match worth less may be chance.
inline constexpr double convincing = 7.0;

}  // namespace attn
