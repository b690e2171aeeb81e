// Escapes text for HTML, and fills in templates.
#include "views/page/html.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "text/printable.hpp"

namespace attn {

namespace {

void append_line(std::string_view line, std::size_t most, std::string& html) {
    for (const char c : printable(line, most)) {
        switch (c) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            case '\'':
                html += "&#39;";
                break;
            default:
                html += c;
        }
    }
}

}  // namespace

std::string escaped(std::string_view untrusted, std::size_t most) {
    std::string html;
    for (std::size_t from = 0;;) {
        const std::size_t to = untrusted.find('\n', from);
        append_line(untrusted.substr(from, to - from), most, html);
        if (to == std::string_view::npos) {
            return html;
        }
        html += '\n';
        from = to + 1;
    }
}

std::string mathml(const Expr& formula, const Words& phrases) {
    return formula_mathml(formula, [&](std::string_view english) {
        const std::string* const found = phrases.find(fmt::format("formula {}", english));
        return found != nullptr ? *found : std::string(english);
    });
}

std::string escaped_json(std::string_view json) {
    std::string text;
    for (const char c : json) {
        switch (c) {
            case '<':
                text += "\\u003c";
                break;
            case '>':
                text += "\\u003e";
                break;
            case '&':
                text += "\\u0026";
                break;
            default:
                text += c;
        }
    }
    return text;
}

void write_filled_in(const WriteBytes& write, std::string_view page, const FillHole& fill) {
    for (std::size_t open = page.find("{{"); open != std::string_view::npos; open = page.find("{{")) {
        const std::size_t close = page.find("}}", open);
        if (close == std::string_view::npos) {
            throw std::logic_error("a hole of the page's template does not close");
        }
        write(page.substr(0, open));
        fill(page.substr(open + 2, close - open - 2), write);
        page.remove_prefix(close + 2);
    }
    write(page);
}

}  // namespace attn
