// A run held against printed tables, as JSON.
#pragma once

#include <span>

#include "files/json_writer.hpp"
#include "printed/comparison.hpp"

namespace attn {

void write_comparisons(JsonWriter& json, std::span<const Comparison> comparisons);

}  // namespace attn
