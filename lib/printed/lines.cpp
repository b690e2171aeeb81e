#include "printed/lines.hpp"

#include "text/ascii.hpp"
#include "text/split.hpp"

namespace attn {

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    std::size_t begin = 0;
    std::size_t number = 0;
    bool in_code = false;
    for (const std::string_view whole : split_lines(text)) {
        std::string_view said = whole.substr(0, whole.find_last_not_of(" \t\r") + 1);
        const std::size_t end = begin + said.size();
        ++number;
        begin += whole.size() + 1;
        if (said.empty()) {
            continue;
        }
        // Removes marks of quotations and comments, but not the prompt `>>>`.
        while (!said.empty() && !said.starts_with(">>>") && is_one_of(said[0], " \t>#/|")) {
            said.remove_prefix(1);
        }
        in_code = said.starts_with(">>>") || (in_code && (said.starts_with("... ") || said == "..."));
        lines.push_back({end - said.size(), end, number, in_code});
    }
    return lines;
}

}  // namespace attn
