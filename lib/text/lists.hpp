// Short names for what is often done with lists.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace attn {

// Returns true if an element, or what the projection returns for it, is equal to the value.
// C++23: std::ranges::contains
template <std::ranges::range List, typename Value, typename Projection = std::identity>
bool contains(const List& list, const Value& value, Projection projection = {}) {
    return std::ranges::find(list, value, projection) != std::ranges::end(list);
}

// Returns a pointer to the first element for which the projection returns this value; null if there is none.
template <std::ranges::range List, typename Value, typename Projection>
auto* find_in(List&& list, const Value& value, Projection projection) {
    const auto found = std::ranges::find(list, value, projection);
    return found == std::ranges::end(list) ? nullptr : &*found;
}

// Returns what a function or member returns for each element.
template <std::ranges::range List, typename Function>
auto mapped(const List& list, Function function) {
    std::vector<std::decay_t<std::invoke_result_t<Function&, std::ranges::range_reference_t<const List>>>>
        all;
    for (const auto& element : list) {
        all.push_back(std::invoke(function, element));
    }
    return all;
}

// Returns the elements as one text: `a, b, c`.
std::string joined(const auto& list, std::string_view separator = ", ") {
    return fmt::format("{}", fmt::join(list, separator));
}

}  // namespace attn
