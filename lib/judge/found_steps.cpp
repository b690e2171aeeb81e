#include "judge/found_steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "diagnosis/bits.hpp"
#include "diagnosis/pieces.hpp"

namespace attn {

namespace {

constexpr double other_order = 2e-6;  // how far sums may be off if they were added in another order

// True for the parts at some first indices, and for blocks, as a cache of keys computes it for some tokens.
bool is_part(PieceKind kind) {
    using enum PieceKind;
    return kind == row || kind == entry || kind == rows || kind == block;
}

// A node as it would be printed with all digits.
PrintedTensor with_all_digits(const Computed& node) {
    PrintedTensor printed;
    printed.shown = node.value.shape();
    for (const float x : node.value.values()) {
        printed.numbers.push_back(exact_number(static_cast<double>(x)));
    }
    return printed;
}

}  // namespace

bool is_close(std::span<const float> a, std::span<const float> b, double slack) {
    return std::ranges::equal(a, b, [slack](float x, float y) {
        const double right = static_cast<double>(y);
        return x == y || (std::isnan(x) && std::isnan(y)) ||
               (std::isfinite(y) &&
                std::abs(static_cast<double>(x) - right) <= 2e-6 + 1e-5 * std::abs(right) + slack);
    });
}

std::vector<Found> find_steps(const Computed& node, const Lessons& lessons) {
    std::vector<Found> found;
    if (!node.is_known || node.value.count() == 0) {
        return found;
    }
    const std::span<const float> own = node.value.values();
    const bool is_telling = own.size() > 1 && std::ranges::any_of(own, [](float x) {
                                return x != 0.0F && std::abs(x - 1.0F) > 1e-4F;
                            });
    const PrintedTensor printed = with_all_digits(node);
    const Pattern pattern(printed, node.slack + other_order * largest(printed));
    for (const Chapter& chapter : lessons.chapters()) {
        for (const StageTrace& walk : chapter.walks) {
            for (const std::size_t step : walk.steps) {
                const Node& right = walk.node(step);
                const float first = node.value.values()[0];  // 0 and 1 alone tell nothing
                const bool is_any = node.value.count() == 1 && (first == 0.0F || first == 1.0F) &&
                                    right.call.operation->name != node.operation;
                if (!right.shows.empty() || is_any) {
                    continue;
                }
                if (right.value.shape() == node.value.shape()) {
                    if (is_close(own, right.value.values(), node.slack)) {
                        found.push_back({&walk, step});
                    }
                    continue;
                }
                const bool may_be_part = is_telling && pattern.may_be_in(right.value.shape());
                const auto piece = may_be_part ? pattern.find_in(right.value) : std::nullopt;
                if (piece && is_part(piece->kind) && !piece->exchanged) {
                    found.push_back({&walk, step, piece->index});
                }
            }
        }
    }
    // Drawn weights and whole steps first, and of equal steps that of the same name or operation.
    std::ranges::stable_sort(found, {}, [&node](const Found& one) {
        const Node& step = one.walk->node(one.step);
        return std::tuple(one.walk->own_weights, !one.piece.empty(), step.name != node.name,
                          step.call.operation->name != node.operation);
    });
    return found;
}

}  // namespace attn
