#include "judge/found_steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "tensor/strided.hpp"

namespace attn {

namespace {

bool are_close(double x, double y, double slack) {
    return x == y || (std::isnan(x) && std::isnan(y)) ||
           (std::isfinite(y) && std::abs(x - y) <= 2e-6 + 1e-5 * std::abs(y) + slack);
}

bool is_telling(const Tensor& x) {
    return std::ranges::any_of(x.values(),
                               [](float one) { return one != 0.0F && std::abs(one - 1.0F) > 1e-4F; });
}

// A part such as [2:4, :3], as a cache of keys computes it for some tokens.
std::optional<std::string> block_of(const Tensor& step, const Computed& node) {
    constexpr std::size_t most = 4096;  // numbers of a step: each may be where the block begins
    const Shape& whole = step.shape();
    const Shape& part = node.value.shape();
    const Strides strides = strides_of(whole);
    const std::size_t rank = part.rank();
    if (rank != whole.rank() || step.count() > most || node.value.count() < 2 || !is_telling(node.value)) {
        return std::nullopt;
    }
    std::vector<std::size_t> starts(rank);  // how many there are along each axis
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        starts[axis] = whole[axis] + 1 - std::min(part[axis], whole[axis] + 1);
        count *= starts[axis];
    }
    std::vector<std::size_t> at(rank);
    const auto offset_of = [&](std::size_t index, const auto& sizes) {
        std::size_t offset = 0;
        for (std::size_t axis = rank; axis-- > 0; index /= sizes[axis]) {
            at[axis] = index % sizes[axis];
            offset += at[axis] * strides.at(axis);
        }
        return offset;
    };
    for (std::size_t start = 0; start < count; ++start) {
        const std::size_t from = offset_of(start, starts);
        const std::vector<std::size_t> begin = at;
        const auto is_same = [&](std::size_t i) {
            return are_close(static_cast<double>(node.value.values()[i]),
                             static_cast<double>(step.values()[from + offset_of(i, part)]), node.slack);
        };
        std::size_t same = 0;
        while (same < node.value.count() && is_same(same)) {
            ++same;
        }
        if (same < node.value.count()) {
            continue;
        }
        std::string index;
        for (std::size_t axis = rank; axis-- > 0;) {
            const bool is_whole = part[axis] == whole[axis];
            if (is_whole && index.empty()) {
                continue;
            }
            const std::string range =
                is_whole ? ":" : std::to_string(begin[axis]) + ":" + std::to_string(begin[axis] + part[axis]);
            index = range + (index.empty() ? "" : ", ") + index;
        }
        return "[" + index + "]";
    }
    return std::nullopt;
}

std::optional<std::string> piece_of(const Tensor& step, const Computed& node) {
    const Shape& whole = step.shape();
    const Shape& part = node.value.shape();
    const std::size_t more = whole.rank() - std::min(part.rank(), whole.rank());
    if (part.rank() > whole.rank() || (more > 0 && (node.value.count() < 2 || !is_telling(node.value)))) {
        return std::nullopt;
    }
    for (std::size_t axis = 0; axis < part.rank(); ++axis) {
        if (part[axis] != whole[axis + more]) {
            return std::nullopt;
        }
    }
    const std::size_t size = node.value.count();
    for (std::size_t at = 0; at * size < step.count(); ++at) {
        if (is_close(node.value.values(), step.values().subspan(at * size, size), node.slack)) {
            std::string index;
            std::size_t rest = at;
            for (std::size_t axis = more; axis-- > 0; rest /= whole[axis]) {
                index = std::to_string(rest % whole[axis]) + (index.empty() ? "" : ", ") + index;
            }
            return index.empty() ? "" : "[" + index + "]";
        }
    }
    return std::nullopt;
}

}  // namespace

bool is_close(std::span<const float> a, std::span<const float> b, double slack) {
    return std::ranges::equal(a, b, [slack](float x, float y) {
        return are_close(static_cast<double>(x), static_cast<double>(y), slack);
    });
}

std::vector<Found> find_steps(const Computed& node, const Lessons& lessons) {
    std::vector<Found> found;
    if (!node.is_known || node.value.count() == 0) {
        return found;
    }
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
                if (const auto piece = piece_of(right.value, node)) {
                    found.push_back({&walk, step, *piece});
                } else if (const auto block = block_of(right.value, node)) {
                    found.push_back({&walk, step, *block, true});
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
