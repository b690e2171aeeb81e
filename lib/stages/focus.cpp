// Finds the focused token. The messages do not quote the argument, because it may be any text.
#include "stages/focus.hpp"

#include <algorithm>
#include <span>

#include "tensor/error.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

std::size_t default_focus(const std::vector<std::string>& tokens) {
    const auto journey = std::ranges::find(tokens, "journey");
    if (journey != tokens.end()) {
        return std::size_t(journey - tokens.begin());
    }
    return tokens.size() > 1 ? 1 : 0;
}

}  // namespace

std::size_t find_focus(const Lesson& lesson, const std::optional<std::string>& wanted) {
    const std::vector<std::string>& tokens = lesson.tokens;
    if (!wanted) {
        return default_focus(tokens);
    }
    std::uint64_t index = 0;
    if (read_whole(*wanted, index) && index < tokens.size()) {
        return std::size_t(index);
    }
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == *wanted) {
            places.push_back(i);
        }
    }
    if (places.empty()) {
        throw Error("there is no such token; expected one of {}, or an index from 0 to {}.",
                    named_tokens(lesson), tokens.size() - 1);
    }
    if (places.size() > 1) {
        throw Error("this token occurs at {}; give one of these indices.", joined(places));
    }
    return places.front();
}

std::string named_tokens(const Lesson& lesson) {
    constexpr std::size_t most = 12;
    const std::span first = std::span(lesson.tokens).first(std::min(most, lesson.tokens.size()));
    return joined(mapped(first, in_quotes)) + (lesson.tokens.size() > most ? ", …" : "");
}

}  // namespace attn
