// A JSON value, and how it is written as text. Only sources that build JSON values or take them apart include
// <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tensor/tensor.hpp"

namespace attn {

using Json = nlohmann::ordered_json;

// Converts a tensor to nested arrays of numbers.
Json tensor_json(const Tensor& tensor);

// Writes JSON in two forms: without white space, or indented for people by two spaces per depth. In the
// second form, an array of numbers and words takes one line, and so does an object of these within an array.
enum class JsonLayout { compact, indented };

// Numbers are written with shortest_digits(): that of float32 if the double is a float32. NaN and infinities
// become "NaN", "Infinity" and "-Infinity". In strings, characters that could mislead the reader of a
// terminal are escaped, and ill-formed UTF-8 becomes U+FFFD.
std::string json_text(const Json& value, JsonLayout layout);

}  // namespace attn
