// JSON values, and writing them as text. Only sources that build or read JSON values include
// <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tensor/tensor.hpp"

namespace attn {

using Json = nlohmann::ordered_json;

// Converts a tensor to nested arrays of numbers.
Json tensor_json(const Tensor& tensor);

// Writes JSON in two forms: without white space, or indented for people by two spaces per depth. The second
// form writes an array of numbers and words on one line, and so an object of numbers and words within an
// array.
enum class JsonLayout { compact, indented };

// Numbers are written with shortest_digits(), as float32 if the double is a float32. NaN and infinities
// become "NaN", "Infinity" and "-Infinity". In strings, characters that could mislead the reader of a
// terminal are escaped, and ill-formed UTF-8 becomes U+FFFD.
std::string json_text(const Json& value, JsonLayout layout);

}  // namespace attn
