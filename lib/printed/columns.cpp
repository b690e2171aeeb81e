#include "printed/columns.hpp"

#include <algorithm>
#include <cstddef>

namespace attn {

namespace {

// Returns the column of a token, in bytes from the beginning of its line.
std::size_t column_of(std::string_view text, const Token& token) {
    return token.begin - (text.substr(0, token.begin).rfind('\n') + 1);
}

bool begins_tensor_at(std::string_view text, const std::vector<Token>& tokens, std::size_t at) {
    const bool two_deep = tokens[at].is("[") && at + 1 < tokens.size() && tokens[at + 1].is("[");
    return two_deep || begins_call(text, tokens, at);
}

bool is_after_blanks(std::string_view text, const Token& token) {
    return token.begin >= 2 && text.substr(token.begin - 2, 2) == "  ";
}

int depth_change(const Token& token) {
    return token.opens() ? 1 : token.closes() ? -1 : 0;
}

}  // namespace

void separate_columns(std::string_view text, std::vector<Token>& tokens) {
    int depth = 0;
    std::size_t first = 0;  // the first token of the line
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        first = at == 0 || tokens[at].line != tokens[at - 1].line ? at : first;
        depth = at == first && begins_tensor_at(text, tokens, at) ? 0 : depth;
        const bool is_right = at > first && depth > 0 && begins_tensor_at(text, tokens, first) &&
                              begins_tensor_at(text, tokens, at) && !tokens[at - 1].opens() &&
                              is_after_blanks(text, tokens[at]);
        if (!is_right) {
            depth = std::max(depth + depth_change(tokens[at]), 0);
            continue;
        }
        // The two tensors end with the line that closes the brackets of both.
        const std::size_t column = column_of(text, tokens[at]);
        const auto is_left = [&](const Token& token) { return column_of(text, token) < column; };
        int left = depth;
        int right = 0;
        std::size_t end = at;
        do {
            (is_left(tokens[end]) ? left : right) += depth_change(tokens[end]);
            ++end;
        } while (end < tokens.size() && (left > 0 || right > 0 || tokens[end].line == tokens[end - 1].line));
        if (left == 0 && right == 0) {
            const auto begin = tokens.begin();
            std::stable_partition(begin + static_cast<std::ptrdiff_t>(first),
                                  begin + static_cast<std::ptrdiff_t>(end), is_left);
        }
        at = end - 1;
        depth = 0;
    }
}

}  // namespace attn
