#include "mistakes/mistakes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "mistakes/bits.hpp"
#include "mistakes/kinds.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// Mistakes that other code finds: in ../wrong_number.hpp, ../seeds.hpp, ../general_edits.hpp, the pieces and
// the labels.
std::vector<Mistake> other_mistakes() {
    return {
        {"other-seed", 14.5, [](const Parameters&) { return std::vector<WalkEdit>(); }, About::setting},
        {"transposed", 15.1},
        {"mistyped", 15.5},
        {"other-input", 15.6},
        {"other-step", 15.6},
        {"other-operand", 12.0},
        {"other-number", 12.0},
        {"other-operation", 12.0},
        {"call-left-out", 12.0},
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

Mistake::Mistake(std::string_view name, double cost, const std::vector<Edit>& all, About what)
    : Mistake(
          name, cost,
          [all](const Parameters&) {
              std::vector<WalkEdit> of_calls;
              for (const Edit& edit : all) {
                  of_calls.push_back({.calls = edit});
              }
              return of_calls;
          },
          what) {}

std::span<const Mistake> mistakes() {
    static const std::vector<Mistake> all = all_mistakes();
    return all;
}

const Mistake* find_mistake(std::string_view id) {
    const auto found = std::ranges::find(mistakes(), id, &Mistake::id);
    return found == mistakes().end() ? nullptr : &*found;
}

bool is_about(std::string_view id, About what) {
    const Mistake* const mistake = find_mistake(id);
    return mistake != nullptr && mistake->about == what;
}

std::vector<WalkEdit> known_edits(const Parameters& right) {
    std::vector<WalkEdit> all;
    for (const Mistake& mistake : mistakes()) {
        std::vector<WalkEdit> edits = mistake.edits(right);
        for (WalkEdit& edit : edits) {
            edit.mistake = &mistake;
            edit.bits = mistake.bits + bits_for(static_cast<double>(edits.size()));
        }
        std::ranges::move(edits, std::back_inserter(all));
    }
    std::ranges::stable_sort(all, {}, &WalkEdit::bits);
    return all;
}

std::optional<StageTrace> walk_with(const WalkEdits& edits, const Stage& stage, const Lesson& lesson,
                                    Parameters right, const Inputs& inputs) {
    std::vector<Edit> calls;
    for (const WalkEdit* const edit : edits) {
        if (edit->parameters) {
            edit->parameters(right);
        } else {
            calls.push_back(edit->calls);
        }
    }
    try {
        return walk_edited(stage, lesson, right, inputs, calls);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace attn
