// The value of an explanation, in bits: the surprise of the printed numbers minus the description length of
// the explanation. All are whole sixteenths of a bit, computed by exact or correctly rounded operations, so
// that they are the same on every platform. std::log2 and std::lgamma are not.
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
    // True if the numbers are labelled with the step's name, false if with another name, empty if they have
    // no label.
    std::optional<bool> named = std::nullopt;
    double piece = 0.0;              // bits for the piece of the step
    double precision = 0.0;          // bits for the rounding of the numbers
    std::vector<double> mistakes{};  // bits for each mistake
};

// Returns how many bits it takes to choose one of so many, in whole sixteenths: log2.
double bits_for(double choices);

// Returns the largest absolute value of the finite numbers, or 0 if no number is finite.
double largest(const PrintedTensor& printed);

// Returns how many bits the numbers need if nothing is known about their origin. Their precision is the
// printed one plus `slack`.
double surprise(const PrintedTensor& printed, double slack = 0.0);

// Returns the value, in bits, of an explanation of all numbers.
double worth(double surprise, const Claim& claim);

}  // namespace attn
