// Of several sentences that a text fits, the one with the most letters of its own is meant. What is quoted is
// somebody else's and stays.
#include "words/translation.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "text/ascii.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

constexpr std::string_view place = "{}";

// What stands in the places of a sentence that the whole text fits; each is as short as it can be, but the
// last.
std::optional<std::vector<std::string_view>> values_in(std::string_view text, std::string_view sentence) {
    std::vector<std::string_view> values;
    std::size_t open = sentence.find(place);
    if (!text.starts_with(sentence.substr(0, open))) {
        return std::nullopt;
    }
    text.remove_prefix(std::min(open, sentence.size()));
    while (open != std::string_view::npos) {
        sentence.remove_prefix(open + place.size());
        open = sentence.find(place);
        const std::string_view behind = sentence.substr(0, open);
        const std::size_t end = open == std::string_view::npos
                                    ? (text.ends_with(behind) ? text.size() - behind.size() : open)
                                    : text.find(behind);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        values.push_back(text.substr(0, end));
        text.remove_prefix(end + behind.size());
    }
    return text.empty() ? std::optional(values) : std::nullopt;
}

std::ptrdiff_t letters_in(std::string_view sentence) {
    return std::ranges::count_if(sentence, [](char c) { return is_word_character(c); });
}

// `{}: {}`, `{} or {}`
bool is_small(std::string_view sentence) {
    constexpr std::ptrdiff_t few = 3;
    return sentence.find(place) != std::string_view::npos && letters_in(sentence) <= few;
}

class Translator {
public:
    explicit Translator(const Words& words) : words_(words) {}

    // Nothing where there is no sentence that it fits. Signs between parts, as in `{}: {}`, are looked at
    // first.
    std::optional<std::string> operator()(std::string_view text) const {
        std::vector<Words::Values::const_iterator> fitting;
        for (auto one = words_.texts().begin(); one != words_.texts().end(); ++one) {
            if (values_in(text, one->first)) {
                fitting.push_back(one);
            }
        }
        std::ranges::sort(fitting, std::ranges::greater{}, [](const auto& one) {
            return std::tuple(is_small(one->first), letters_in(one->first), one->first.size());
        });
        for (const auto& one : fitting) {
            if (auto said = filled(one->first, one->second, *values_in(text, one->first))) {
                return said;
            }
        }
        return std::nullopt;
    }

private:
    // A small sentence says something by what is said in it, or where it joins mere words.
    std::optional<std::string> filled(std::string_view sentence, std::string_view translation,
                                      const std::vector<std::string_view>& values) const {
        bool is_said = false;
        bool are_words = letters_in(sentence) > 0;
        fmt::dynamic_format_arg_store<fmt::format_context> arguments;
        for (const std::string_view value : values) {
            const bool is_quoted = value.starts_with('"') && value.ends_with('"');
            const std::optional<std::string> said =
                is_quoted || value.empty() ? std::nullopt : (*this)(value);
            is_said = is_said || said.has_value();
            are_words = are_words && value.find(' ') == std::string_view::npos;
            arguments.push_back(said.value_or(std::string(value)));
        }
        return is_said || are_words || !is_small(sentence)
                   ? std::optional(fmt::vformat(translation, arguments))
                   : std::nullopt;
    }

    const Words& words_;
};

}  // namespace

std::string translated(std::string_view english, std::string_view language) {
    const Words words(language, "translations");
    return Translator(words)(english).value_or(std::string(english));
}

}  // namespace attn
