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
    // True if the numbers have the step's name, false if they have a different name, nothing if they have no
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

// The costs of the parts of an explanation. The tables of mistakes, pieces and roundings give their own
// costs.
namespace cost {

// Parameters that neither the user nor a document gave:
inline constexpr double dropout_generator = 1.0;
inline constexpr double width = 3.0;   // a width, or a batch size
inline constexpr double layers = 3.0;  // a bias is added or left out, or dropout is left out

// Stages of the further topics repeat many steps of the documents' stages, which are then the likelier
// explanation.
inline constexpr double further_topic = 12.5;

// Readers paste steps far more often than other lines. They paste part of a line even more rarely: a mistake
// that leaves out the rest of the line is likelier. Most gradients are labelled.
inline constexpr double line = 4.0;
inline constexpr double part_of_line = 20.0;
inline constexpr double unlabelled_gradient = 3.0;

// A mistake in the step that the label names is likelier than one in any other step. The grad_fn that
// autograd prints names the operation, so a different one is less likely.
inline constexpr double other_label = 4.0;
inline constexpr double other_grad_fn = 6.0;

// If the numbers are those of a different projection than the label names, the wrong layer was used, which is
// as frequent as other mistakes. If they are those of any other step, a mistake in the labelled step is
// likelier.
inline constexpr double other_projection = 8.0;
inline constexpr double other_step = 14.0;

// `erratum` is the cost of a mistake that is known to be in print. `shown` is the additional cost of a step
// that deliberately shows a mistake.
inline constexpr double erratum = 1.0;
inline constexpr double shown = 1.0;

}  // namespace cost

}  // namespace attn
