#include "mistakes/changed_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "notebook/render.hpp"

namespace attn {

namespace {

void append(std::string& lines, const std::string& line) {
    lines += (lines.empty() ? "" : "\n") + line;
}

}  // namespace

std::vector<bool> origins_of(const Notebook& notebook, std::size_t node) {
    std::vector<bool> needed(notebook.nodes().size());
    needed[node] = true;
    for (std::size_t id = node + 1; id-- > 0;) {
        for (const std::size_t input :
             needed[id] ? notebook.nodes()[id].call.inputs : std::vector<std::size_t>()) {
            needed[input] = true;
        }
    }
    return needed;
}

namespace {

std::vector<CodeLine> needed_lines(const Notebook& notebook, const std::vector<bool>& needed) {
    std::vector<CodeLine> lines;
    std::map<std::string_view, std::size_t> occurrences;
    for (std::size_t id = 0; id < needed.size(); ++id) {
        const Node& one = notebook.nodes()[id];
        const std::size_t occurrence = occurrences[one.name]++;
        if (needed[id] && !one.name.empty()) {
            lines.push_back({id, one.name, occurrence, statement(notebook, id, Language::torch)});
        }
    }
    return lines;
}

}  // namespace

std::vector<CodeLine> lines_to(const Notebook& notebook, std::size_t node) {
    return needed_lines(notebook, origins_of(notebook, node));
}

ChangedLines changed_lines(const StageTrace& wrong, const StageTrace& right, std::size_t step_of_wrong,
                           std::size_t step_of_right) {
    const std::vector<CodeLine> ours = lines_to(wrong.notebook, step_of_wrong);
    const std::vector<CodeLine> theirs = lines_to(right.notebook, step_of_right);
    const std::vector<CodeLine> all =
        needed_lines(right.notebook, std::vector<bool>(right.notebook.nodes().size(), true));
    ChangedLines changed;
    for (const CodeLine& line : ours) {
        const auto same = std::ranges::find_if(all, [&](const CodeLine& other) {
            return other.name == line.name && other.occurrence == line.occurrence;
        });
        if (same != all.end() && same->text != line.text) {
            append(changed.line, line.text);
            append(changed.instead_of, same->text);
        }
    }
    // The same lines may be in a different order.
    if (changed.line.empty() &&
        std::ranges::is_permutation(ours, theirs, {}, &CodeLine::text, &CodeLine::text)) {
        auto [a, b] = std::ranges::mismatch(ours, theirs, {}, &CodeLine::text, &CodeLine::text);
        for (; a != ours.end() && a->text != b->text; ++a, ++b) {
            append(changed.line, a->text);
            append(changed.instead_of, b->text);
        }
    }
    return changed;
}

}  // namespace attn
