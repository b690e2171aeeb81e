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

// A match with fewer bits may be chance.
inline constexpr double convincing = 7.0;

// The costs, in bits, of the parts of an explanation. The costs of mistakes, pieces and roundings are in
// their own tables.
namespace cost {

// Costs of parameters that neither the user nor a document gave:
inline constexpr double dropout_generator = 1.0;
inline constexpr double width = 3.0;   // a width, or a batch size
inline constexpr double layers = 3.0;  // a bias is added or left out, or dropout is left out

// A setting that another tensor of the same paste has already shown.
inline constexpr double known_setting = 3.0;

// Many steps occur both in a stage of the further topics and in one of the documents' stages. Then the
// documents' stage is the likelier explanation.
inline constexpr double further_topic = 12.5;

// Readers paste steps far more often than other lines. A result that is only part of a line is even rarer:
// more likely, a mistake left out the rest of the line. Most gradients are labelled.
inline constexpr double line = 4.0;
inline constexpr double part_of_line = 20.0;
inline constexpr double unlabelled_gradient = 3.0;

// A mistake is likelier in the step that the label names than in another step. The printed grad_fn names the
// operation, so a step with another operation is less likely.
inline constexpr double other_label = 4.0;
inline constexpr double other_grad_fn = 6.0;

// If the label says keys but the numbers are queries, the wrong layer was used; that is as frequent as other
// mistakes. If the numbers belong to a step that is not a projection, a mistake in the labelled step is
// likelier.
inline constexpr double other_projection = 8.0;
inline constexpr double other_step = 14.0;

// `erratum` is the cost of a mistake that a document contains. `shown` is added for a step that shows a
// mistake on purpose.
inline constexpr double erratum = 1.0;
inline constexpr double shown = 1.0;

}  // namespace cost

}  // namespace attn
