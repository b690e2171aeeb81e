#include "printed/typed_number.hpp"

#include <algorithm>
#include <cstddef>

#include "printed/decode.hpp"
#include "printed/number.hpp"
#include "text/ascii.hpp"
#include "text/replace.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

// Removes the marks at the ends. A bracket or quote stays if it is needed inside.
std::string_view without_outer_marks(std::string_view text) {
    constexpr std::string_view before = " \t\r\n*`$'\"([{<_|#>";
    constexpr std::string_view after = " \t\r\n*`$'\")]}>_|.,;:!?";
    const std::size_t begin = std::min(text.find_first_not_of(before), text.size());
    return text.substr(begin, text.find_last_not_of(after) + 1 - begin);
}

}  // namespace

std::vector<std::string> sides_of_relations(std::string_view text) {
    std::string plain = lowered(with_ascii_signs(text));
    for (const std::string_view sign :
         {"\\approx", "\\simeq", "\\sim", "=>", "->", "≈", "≃", "≅", "∼", "→", "⇒", "~", ":"}) {
        replace_all(plain, sign, "=");
    }
    std::vector<std::string> sides;
    for (const std::string_view side : split(plain, "=")) {
        if (side.find_first_not_of(" \t\r\n") != std::string_view::npos) {
            sides.emplace_back(side);
        }
    }
    return sides;
}

std::string without_marks(std::string_view text) {
    std::string plain(text);
    for (const std::string_view call :
         {"tensor(", "float(", "float32(", "float64(", "torch.", "numpy.", "np.", "math.", "\\mathbf{",
          "\\mathrm{", "\\text{", "\\boxed{", "\\left", "\\right", "\\(", "\\)", "\\[", "\\]"}) {
        replace_all(plain, call, "");
    }
    plain = without_outer_marks(plain);
    if (plain.starts_with('-') || plain.starts_with('+')) {  // also -(0.5) and -'inf'
        plain.replace(1, std::string::npos, without_outer_marks(std::string(plain.substr(1))));
    }
    if (std::ranges::count(plain, ',') == 1 && plain.find('.') == std::string::npos) {
        std::ranges::replace(plain, ',', '.');
    }
    return plain;
}

std::string plain_number(std::string_view text) {
    std::string found;
    for (const std::string& side : sides_of_relations(text)) {
        std::string plain = without_marks(side);
        if (!read_only_number(plain) || (!found.empty() && found != plain)) {
            return "";
        }
        found = std::move(plain);
    }
    return found;
}

}  // namespace attn
