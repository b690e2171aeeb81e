// How well a computed tensor and a pasted one agree, number by number, as far as the pasted digits tell.
#pragma once

#include <optional>

#include "printed/tensor_reader.hpp"

namespace attn {

// Whether a number may have been printed so: within half a unit of its last digit, and what rounding leaves
// open.
bool agrees(const PastedNumber& pasted, float x, bool full_precision);

// The largest difference where all numbers agree, otherwise nothing. The shape must fit.
std::optional<double> likeness(const PastedTensor& pasted, const Tensor& computed);

}  // namespace attn
