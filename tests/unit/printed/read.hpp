// Reads pasted texts, as the tests of lib/printed do.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "printed/reader.hpp"
#include "refusal.hpp"

namespace attn {

using Doubles = std::vector<double>;

// Returns the single tensor of a text.
inline PrintedTensor only(std::string_view text) {
    const std::vector<PrintedTensor> tensors = read_tensors(text, "pasted.txt").tensors;
    REQUIRE(tensors.size() == 1);
    return tensors.front();
}

inline Doubles values(const PrintedTensor& tensor) {
    Doubles values;
    for (const PrintedNumber& number : tensor.numbers) {
        values.push_back(number.value);
    }
    return values;
}

// Returns the error for a text that cannot be read, or an empty string.
inline std::string refusal(std::string_view text, std::string_view origin = "pasted.txt") {
    return refusal_of([&] { read_tensors(text, origin); });
}

}  // namespace attn
