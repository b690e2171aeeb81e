#include "text/html.hpp"

#include <map>

#include "text/printable.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

using Escapes = std::map<char, std::string_view>;

std::string with_escapes(std::string_view text, const Escapes& escapes) {
    std::string safe;
    for (const char c : text) {
        const auto found = escapes.find(c);
        safe += found == escapes.end() ? std::string_view(&c, 1) : found->second;
    }
    return safe;
}

}  // namespace

std::string escaped(std::string_view untrusted) {
    static const Escapes entities{
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    std::string html;
    for (const std::string_view line : split_lines(untrusted)) {
        html += line.data() == untrusted.data() ? "" : "\n";
        html += with_escapes(printable(line), entities);
    }
    return html + (untrusted.ends_with('\n') ? "\n" : "");
}

std::string escaped_json(std::string_view json) {
    static const Escapes escapes{{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}};
    return with_escapes(json, escapes);
}

}  // namespace attn
