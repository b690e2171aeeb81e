// A small recursive reader of MathML.
#include "views/text/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace attn {

namespace {

class Reader {
public:
    explicit Reader(std::string_view mathml) : rest_(mathml) {}

    // Elements up to the end or the next closing tag, side by side.
    std::string row() {
        std::string text;
        for (const std::string& part : children()) {
            const bool is_sign = part == " − " && (text.empty() || text.ends_with('('));
            text += is_sign ? "−" : part;
        }
        return text;
    }

private:
    std::vector<std::string> children() {
        std::vector<std::string> parts;
        while (!rest_.empty() && !rest_.starts_with("</")) {
            parts.push_back(element());
        }
        return parts;
    }

    std::string element() {
        const std::string_view tag = rest_.substr(1, rest_.find('>') - 1);
        rest_.remove_prefix(tag.size() + 2);
        std::string text = contents(tag);
        rest_.remove_prefix(tag.size() + 3);
        return text;
    }

    std::string contents(std::string_view tag) {
        if (tag == "mi" || tag == "mn" || tag == "mtext") {
            return characters();
        }
        if (tag == "mo") {
            return spaced(characters());
        }
        if (tag == "mrow") {
            return row();
        }
        const std::vector<std::string> parts = children();
        if (tag == "msqrt" && parts.size() == 1) {
            return "√" + parts[0];
        }
        if (tag == "msub" && parts.size() == 2) {
            std::string subscript = parts[1];
            std::erase(subscript, ' ');
            return parts[0] + "_" + subscript;
        }
        if (tag == "munder" && parts.size() == 2) {
            return parts[0] + "_" + parts[1] + " ";
        }
        if (tag == "msup" && parts.size() == 2 && parts[1] == "T") {
            return parts[0] + "ᵀ";
        }
        if (tag == "mfrac" && parts.size() == 2) {
            return fmt::format("{} / {}", grouped(parts[0]), grouped(parts[1]));
        }
        throw std::logic_error(fmt::format("no text for <{}> of {} parts", tag, parts.size()));
    }

    std::string characters() {
        const std::string_view text = rest_.substr(0, rest_.find('<'));
        rest_.remove_prefix(text.size());
        return std::string(text);
    }

    static std::string spaced(const std::string& sign) {
        if (sign == "⁢") {  // the invisible times of a product of matrices
            return " ";
        }
        if (sign == ",") {
            return ", ";
        }
        static constexpr std::array<std::string_view, 6> tight{"(", ")", "[", "]", "|", "∑"};
        return std::ranges::find(tight, sign) != tight.end() ? sign : " " + sign + " ";
    }

    static std::string grouped(const std::string& text) {
        return text.find(' ') == std::string::npos ? text : "(" + text + ")";
    }

    std::string_view rest_;
};

}  // namespace

std::string formula_text(std::string_view mathml) {
    return Reader(mathml).row();
}

}  // namespace attn
