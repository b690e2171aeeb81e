// Products of tensors, and attention as one function.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "dataflow/functions.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/softmax.hpp"
#include "tensor/strided.hpp"

namespace attn::flow {

namespace {

// Letters for the axes that `...` stands for, the last one 9.
std::string with_letters(std::string term, std::size_t rank) {
    constexpr std::string_view letters = "0123456789";
    const std::size_t at = term.find("...");
    if (at != std::string::npos) {
        const std::size_t more = rank + 3 - std::min(term.size(), rank + 3);
        term.replace(at, 3, letters.substr(letters.size() - more));
    }
    return term;
}

Tensor contracted(const Given& given) {  // einsum
    const Value* const pattern = given.find("equation", 0);
    std::string text = pattern == nullptr ? "" : pattern->text;
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    if (arrow == std::string::npos) {
        not_followed();
    }
    std::vector<Tensor> operands;
    std::vector<std::map<char, std::size_t>> strides;
    std::map<char, std::size_t> sizes;
    for (std::size_t from = 0; from < arrow;) {
        const std::size_t to = std::min(text.find(',', from), arrow);
        const Tensor x = given.tensor("", operands.size() + 1);
        const std::string term = with_letters(text.substr(from, to - from), x.rank());
        if (term.size() != x.rank()) {
            not_followed();
        }
        strides.emplace_back();
        for (std::size_t axis = 0; axis < term.size(); ++axis) {
            std::size_t& size = sizes.try_emplace(term[axis], 1).first->second;
            size = std::max(size, x.shape()[axis]);
            strides.back()[term[axis]] += x.shape()[axis] == 1 ? 0 : strides_of(x.shape()).at(axis);
        }
        operands.push_back(x);
        from = to + 1;
    }
    std::string letters = text.substr(arrow + 2);
    const auto dots = static_cast<std::size_t>(std::ranges::count_if(
        sizes, [](const auto& one) { return std::isdigit(static_cast<unsigned char>(one.first)) != 0; }));
    letters = with_letters(letters, letters.find('.') == std::string::npos ? 0 : letters.size() - 3 + dots);
    Sizes out;
    for (const char letter : letters) {
        out.push_back(sizes.at(letter));
    }
    std::size_t terms = 1;  // of each sum
    for (const auto& [letter, size] : sizes) {
        if (letters.find(letter) == std::string::npos) {
            letters += letter;
            terms *= size;
        }
    }
    Tensor result((Shape(out)));
    constexpr std::size_t most_products = 20'000'000;
    if (result.count() * terms > most_products) {
        not_followed();
    }
    for (std::size_t n = 0; n < result.count(); ++n) {
        double sum = 0.0;
        for (std::size_t k = 0; k < terms; ++k) {
            Sizes at(operands.size());
            std::size_t rest = n * terms + k;
            for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter) {
                for (std::size_t i = 0; i < at.size(); ++i) {
                    const auto stride = strides[i].find(*letter);
                    at[i] += stride == strides[i].end() ? 0 : rest % sizes[*letter] * stride->second;
                }
                rest /= sizes[*letter];
            }
            double product = 1.0;
            for (std::size_t i = 0; i < at.size(); ++i) {
                product *= static_cast<double>(operands[i].values()[at[i]]);
            }
            sum += product;
        }
        result.values()[n] = static_cast<float>(sum);
    }
    return result;
}

Tensor attention(const Given& given) {  // scaled_dot_product_attention
    const Tensor q = given.tensor("query", 0);
    const Tensor k = given.tensor("key", 1);
    Tensor scores = div(matmul(q, transpose(k, -2, -1)), std::sqrt(static_cast<double>(k.size(-1))));
    if (given.is_true("is_causal", 5)) {
        scores = masked_fill(scores, triu(ones({scores.size(-2), scores.size(-1)}), 1),
                             -std::numeric_limits<float>::infinity());
    } else if (given.number("dropout_p", 4, 0.0) > 0.0) {
        not_followed();
    } else if (const Value* const by = given.find("attn_mask", 3);
               by != nullptr && !by->is(Value::Kind::none)) {
        const Tensor mask = given.tensor_of(*by);  // true where a token is seen, or numbers to add
        const bool is_binary =
            std::ranges::all_of(mask.values(), [](float x) { return x == 0.0F || x == 1.0F; });
        scores = is_binary ? masked_fill(scores,
                                         expand(map(mask, [](float x) { return 1.0F - x; }), scores.shape()),
                                         -std::numeric_limits<float>::infinity())
                           : add(scores, mask);
    }
    return matmul(softmax(scores, -1), given.tensor("value", 2));
}

Tensor softmaxed(const Given& given) {
    const std::optional<int> dim = given.integer("dim", 1);
    return softmax(given.input(), dim ? *dim : given.integer("axis", by_keyword).value_or(-1));
}

Tensor with_bias(const Given& given) {  // linear
    const bool has_bias = given.has_tensor("bias", 2);
    const Tensor bias = has_bias ? given.tensor("bias", 2) : Tensor();
    return linear(given.input(), given.tensor("weight", 1), has_bias ? &bias : nullptr);
}

}  // namespace

std::vector<Function> products() {
    using enum Role;
    return {
        {"matmul", product, {"@", "mm", "dot", "bmm"}, both(matmul)},
        {"linear", product, {}, with_bias},
        {"einsum", product, {}, contracted},
        {"outer", step, {}, both([](const Tensor& a, const Tensor& b) {
             return mul(view(a, Shape{a.count(), 1}), view(b, Shape{1, b.count()}));
         })},
        {"addmm",
         step,
         {"baddbmm"},
         [](const Given& given) {
             return add(given.input(), matmul(given.tensor("mat1", 1), given.tensor("mat2", 2)));
         }},
        {"softmax", step, {}, softmaxed},
        {"log_softmax",
         plain,
         {},
         [](const Given& given) { return map(softmaxed(given), [](float x) { return std::log(x); }); }},
        {"scaled_dot_product_attention", step, {}, attention},
    };
}

}  // namespace attn::flow
