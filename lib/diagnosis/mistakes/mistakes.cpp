#include "diagnosis/mistakes/mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "diagnosis/bits.hpp"
#include "diagnosis/mistakes/kinds.hpp"

namespace attn {

namespace {

// Mistakes that other code finds: in ../slips.hpp, ../seeds.hpp, ../general_edits.hpp, the pieces and the
// labels.
std::vector<Mistake> other_mistakes() {
    return {
        {"other-seed", 14.5, {}, true}, {"transposed", 15.1, {}},      {"mistyped", 15.5, {}},
        {"other-input", 15.6, {}},      {"other-step", 15.6, {}},      {"other-operand", 12.0, {}},
        {"other-number", 12.0, {}},     {"other-operation", 12.0, {}}, {"call-left-out", 12.0, {}},
    };
}

std::vector<Mistake> all_mistakes() {
    std::vector<Mistake> all;
    for (const auto& of_kind :
         {score_mistakes, mask_mistakes, dropout_mistakes, input_mistakes, weight_mistakes, head_mistakes,
          onward_mistakes, gradient_mistakes, other_mistakes}) {
        std::ranges::move(of_kind(), std::back_inserter(all));
    }
    for (Mistake& mistake : all) {
        mistake.bits = std::round(16.0 * mistake.bits) / 16.0;
    }
    std::ranges::stable_sort(all, {}, &Mistake::bits);
    return all;
}

}  // namespace

std::span<const Mistake> mistakes() {
    static const std::vector<Mistake> all = all_mistakes();
    return all;
}

const Mistake* find_mistake(std::string_view id) {
    const auto found = std::ranges::find(mistakes(), id, &Mistake::id);
    return found == mistakes().end() ? nullptr : &*found;
}

std::vector<Attempt> attempts(const Parameters& right) {
    std::vector<Attempt> all;
    for (const Mistake& mistake : mistakes()) {
        std::vector<Variant> variants = mistake.variants(right);
        const double bits = mistake.bits + bits_for(static_cast<double>(variants.size()));
        for (Variant& variant : variants) {
            all.push_back({&mistake, std::move(variant), bits});
        }
    }
    std::ranges::stable_sort(all, {}, &Attempt::bits);
    return all;
}

StageTrace walk_with(std::span<const Variant> mistakes, const Stage& stage, const Lesson& lesson,
                     Parameters right, const Inputs& inputs) {
    std::vector<Edit> edits;
    for (const Variant& mistake : mistakes) {
        if (mistake.change) {
            mistake.change(right);
        } else {
            edits.push_back(mistake.edit);
        }
    }
    return walk_edited(stage, lesson, right, inputs, edits);
}

}  // namespace attn
