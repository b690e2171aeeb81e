// The table of names.
#include "notebook/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace attn {

namespace {

struct Word {
    std::string_view name;
    std::string_view letter;  // what follows an underscore is a subscript
    std::array<std::string_view, 2> axes;
};

constexpr Word words[] = {
    {"inputs", "X", {"token", "feature"}},
    {"W_query", "W_q", {"out", "in"}},
    {"W_key", "W_k", {"out", "in"}},
    {"W_value", "W_v", {"out", "in"}},
    {"b_query", "b_q", {"", "out"}},
    {"b_key", "b_k", {"", "out"}},
    {"b_value", "b_v", {"", "out"}},
    {"queries", "Q", {"token", "feature"}},
    {"keys", "K", {"token", "feature"}},
    {"values", "V", {"token", "feature"}},
    {"attn_scores", "S", {"query", "key"}},
    {"attn_weights", "A", {"query", "key"}},
    {"mask_simple", "M", {"query", "key"}},
    {"masked_simple", "A′", {"query", "key"}},
    {"row_sums", "r", {"query", "sum"}},
    {"masked_simple_norm", "A″", {"query", "key"}},
    {"mask", "U", {"query", "key"}},
    {"masked", "S′", {"query", "key"}},
    {"attn_weights_causal", "Â", {"query", "key"}},
    {"dropout_example", "E", {"query", "key"}},
    {"attn_weights_dropped", "D", {"query", "key"}},
    {"keep", "B", {"query", "key"}},
    {"context_vec", "Z", {"token", "feature"}},
    {"context_vec_dropped", "Z′", {"token", "feature"}},
    {"d_in", "d_in", {}},
    {"d_out", "d_out", {}},
    {"context_length", "n", {}},
};

const Word* find(std::string_view name) {
    const auto* const found = std::ranges::find(words, name, &Word::name);
    return found == std::end(words) ? nullptr : found;
}

}  // namespace

std::string symbol(std::string_view name) {
    const Word* const word = find(name);
    if (word == nullptr) {
        return fmt::format("<mi>{}</mi>", name);
    }
    const std::size_t bar = word->letter.find('_');
    if (bar == std::string_view::npos) {
        return fmt::format("<mi>{}</mi>", word->letter);
    }
    return fmt::format("<msub><mi>{}</mi><mi>{}</mi></msub>", word->letter.substr(0, bar),
                       word->letter.substr(bar + 1));
}

std::vector<std::string> axes(std::string_view name, std::size_t rank) {
    static constexpr std::array<std::string_view, 2> unknown{"row", "column"};
    const Word* const word = find(name);
    const auto& last_two = word == nullptr ? unknown : word->axes;
    std::vector<std::string> all{"batch", "head", std::string(last_two[0]), std::string(last_two[1])};
    if (rank == 3) {
        all.erase(all.begin() + 1);
    }
    return {all.end() - static_cast<std::ptrdiff_t>(rank), all.end()};
}

}  // namespace attn
