// JSON as a value, and its text. Only sources that build or take values apart include <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tensor/tensor.hpp"

namespace attn {

using Json = nlohmann::ordered_json;

// Nested arrays of numbers.
Json tensor_json(const Tensor& tensor);

// Without white space; or for people as well: indented by two spaces per depth. An array of nothing but
// numbers and words takes one line, and so does an object of nothing else in an array.
enum class JsonLayout { compact, indented };

// Numbers have the digits of shortest_digits(): those of float32 for a double that is one. NaN and infinities
// become "NaN", "Infinity" and "-Infinity". In strings, characters that could deceive the reader of a
// terminal are escaped, and ill-formed UTF-8 becomes U+FFFD.
std::string json_text(const Json& value, JsonLayout layout);

}  // namespace attn
