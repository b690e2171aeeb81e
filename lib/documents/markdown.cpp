// Markdown: code and outputs in fences, outputs also in indented lines.
#include <algorithm>
#include <array>

#include "documents/readers.hpp"
#include "text/ascii.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

// Returns the fence that begins a line, such as "```", or an empty text.
std::string_view fence_of(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || !is_one_of(line[begin], "`~")) {
        return {};
    }
    const std::size_t end = std::min(line.find_first_not_of(line[begin], begin), line.size());
    return end - begin < 3 ? std::string_view() : line.substr(begin, end - begin);
}

// Returns the language of a fence, in lower case: "python" for "```{python}".
std::string language_of(std::string_view line, std::string_view fence) {
    std::string language;
    for (const char c : line.substr(line.find(fence) + fence.size())) {
        if (is_word_character(c)) {
            language += to_lower(c);
        } else if (!language.empty()) {
            break;
        }
    }
    return language;
}

std::vector<Item> read_block(const Passage& passage, std::string_view language) {
    for (const auto read : {read_session, read_script, read_mixed}) {
        if (auto items = read(passage); !items.empty()) {
            return items;
        }
    }
    constexpr std::array<std::string_view, 5> shells{"sh", "bash", "shell", "zsh", "powershell"};
    const bool is_shell = std::ranges::find(shells, language) != shells.end();
    ItemList list;
    const bool is_code = is_python(passage.text, language.starts_with("py") || language.starts_with("ipy"));
    std::size_t line = passage.line;
    for (const std::string_view text : split_lines(passage.text)) {
        list.add_line(is_shell  ? Item::Kind::prose
                      : is_code ? Item::Kind::code
                                : Item::Kind::output,
                      text, line++);
    }
    return list.items;
}

}  // namespace

std::vector<Item> read_markdown(std::string_view text) {
    const std::vector<std::string_view> lines = split_lines(text);
    if (std::ranges::all_of(lines, [](std::string_view line) { return fence_of(line).empty(); })) {
        return {};
    }
    ItemList list;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view fence = fence_of(lines[i]);
        if (fence.empty()) {
            const bool is_output =
                has_tensor(lines[i]) || (lines[i].starts_with("    ") && !list.items.empty() &&
                                         list.items.back().kind == Item::Kind::output);
            list.add_line(is_output ? Item::Kind::output : Item::Kind::prose, lines[i], i + 1);
            continue;
        }
        std::size_t end = i + 1;
        while (end < lines.size() && !fence_of(lines[end]).starts_with(fence)) {
            ++end;
        }
        if (end > i + 1) {
            const char* const first = lines[i + 1].data();
            const std::string_view last = lines[end - 1];
            const std::string_view block(first, static_cast<std::size_t>(last.data() + last.size() - first));
            for (Item& item : read_block({block, i + 2}, language_of(lines[i], fence))) {
                list.items.push_back(std::move(item));
            }
        }
        list.separate();
        i = end;
    }
    return list.items;
}

}  // namespace attn
