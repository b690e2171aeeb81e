// A JSON text as a tree of values, read strictly. Access that checks and complains is JsonView's.
#pragma once

#include "text/message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

struct JsonMember;

// One value. Nested arrays of nothing but numbers, all of one length at each depth, are a Tensor, 4 bytes a
// number, since tensors are what arrays are for: so every number inside an array is a float32, read as a
// double and then rounded, as Python and PyTorch do, unless exact numbers are asked for. A number elsewhere
// is a double.
struct Json {
    using Array = std::vector<Json>;
    using Object = std::vector<JsonMember>;  // in the text's order

    std::variant<std::nullptr_t, bool, double, std::string, Tensor, Array, Object> value;

    // The member of an object, or null when there is none, or this is no object.
    const Json* find(std::string_view key) const;
    Json* find(std::string_view key) { return const_cast<Json*>(std::as_const(*this).find(key)); }
};

struct JsonMember {
    std::string key;
    Json value;
};

// How the numbers inside arrays are kept: as the float32 of tensors, or each as the double it is, for arrays
// of counts.
enum class JsonNumbers { packed, exact };

inline constexpr std::size_t max_json_depth = 32;
inline constexpr std::size_t max_json_values = 4'000'000;  // numbers in tensors not counted: 160 MB of tree

// Reads RFC 8259 JSON, one value and nothing after it. Throws Error: with "origin:line:column" and the line
// for text that is no JSON (or holds a NUL byte, ill-formed UTF-8, a number beyond double); with the JSON
// pointer for a duplicate key, and for more depth or values than allowed. A UTF-8 byte order mark is skipped,
// as RFC 8259 permits.
Json parse_json(std::string_view text, std::string_view origin, JsonNumbers numbers = JsonNumbers::packed);

// "/embeddings/2" + "a/b" → "/embeddings/2/a~1b" (RFC 6901).
std::string json_pointer(std::string_view parent, std::string_view key);

// Throws Error with "origin: at /pointer: problem"; the root has no pointer and none is shown.
[[noreturn]] void fail_at_pointer(std::string_view origin, std::string_view pointer, const Message& problem);

}  // namespace attn
