// Replaces a part of a text wherever it occurs.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// Replaces each `what`, which is not empty. Takes linear time. Python: text.replace(what, by)
inline void replace_all(std::string& text, std::string_view what, std::string_view by) {
    std::string replaced;
    std::size_t from = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, from)) {
        replaced.append(text, from, at - from).append(by);
        from = at + what.size();
    }
    text = replaced.append(text, from);
}

}  // namespace attn
