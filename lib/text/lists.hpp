// Short names for what is often done with lists and texts.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// True if a text contains another, or a character. C++23: text.contains(part)
inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}
inline bool contains(std::string_view text, char c) {
    return text.find(c) != std::string_view::npos;
}

template <typename List>
concept NoText = std::ranges::range<List> && !std::convertible_to<const List&, std::string_view>;

// True if an element, or what the projection returns for it, is equal to the value.
template <NoText List, typename Projection = std::identity>
bool contains(const List& list, const auto& value, Projection projection = {}) {
    return std::ranges::find(list, value, projection) != std::ranges::end(list);
}

// Returns the first element for which the projection returns this value, or null.
auto* find_in(auto&& list, const auto& value, auto projection) {
    const auto found = std::ranges::find(list, value, projection);
    return found == std::ranges::end(list) ? nullptr : &*found;
}

// Returns what a function or a member gives for each element.
template <typename Function>
auto mapped(const auto& list, Function function) {
    std::vector<std::decay_t<decltype(std::invoke(function, *std::ranges::begin(list)))>> all;
    all.reserve(std::size_t(std::ranges::distance(list)));
    for (const auto& element : list) {
        all.push_back(std::invoke(function, element));
    }
    return all;
}

// Returns `a, b, c`.
std::string joined(const auto& list, std::string_view separator = ", ") {
    return fmt::format("{}", fmt::join(list, separator));
}

}  // namespace attn
