// Names with a number in them, such as attn_weights_2_tmp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

// Returns the first number in a name, such as 2; empty if there is none.
inline std::string_view number_in(std::string_view name) {
    constexpr std::string_view figures = "0123456789";
    const std::size_t first = name.find_first_of(figures);
    if (first == std::string_view::npos) {
        return {};
    }
    return name.substr(first, name.find_first_not_of(figures, first) - first);
}

// Returns the name with # instead of that number: attn_weights_#_tmp.
inline std::string without_number(std::string_view name) {
    const std::string_view number = number_in(name);
    std::string text(name);
    return number.empty() ? text : text.replace(std::size_t(number.data() - name.data()), number.size(), "#");
}

}  // namespace attn
