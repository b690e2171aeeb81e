#include "dataflow/indexing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dataflow/arguments.hpp"
#include "tensor/strided.hpp"

namespace attn::flow {

Selected selected(const Shape& shape, const std::vector<IndexPart>& index) {
    Selected result{Shape{}, {0}};
    Sizes sizes;
    std::size_t axis = 0;
    const auto used = static_cast<std::size_t>(std::ranges::count_if(index, [](const IndexPart& part) {
        return part.kind != IndexPart::Kind::rest && part.kind != IndexPart::Kind::new_axis;
    }));
    if (used > shape.rank()) {
        not_followed();
    }
    const Strides strides = strides_of(shape);
    const auto take = [&](const Sizes& at, bool keeps) {
        Sizes next;
        for (const std::size_t offset : result.offsets) {
            for (const std::size_t i : at) {
                next.push_back(offset + i * strides.at(axis));
            }
        }
        result.offsets = std::move(next);
        if (keeps) {
            sizes.push_back(at.size());
        }
        ++axis;
    };
    const auto all = [&](std::size_t size) {
        Sizes at(size);
        std::iota(at.begin(), at.end(), 0);
        return at;
    };
    for (const IndexPart& part : index) {
        const auto size = static_cast<std::int64_t>(axis < shape.rank() ? shape[axis] : 0);
        if (part.kind == IndexPart::Kind::new_axis) {
            sizes.push_back(1);
        } else if (part.kind == IndexPart::Kind::rest) {
            for (std::size_t more = shape.rank() - used; more > 0; --more) {
                take(all(shape[axis]), true);
            }
        } else if (part.kind == IndexPart::Kind::at) {
            const std::int64_t at = *part.from < 0 ? *part.from + size : *part.from;
            if (at < 0 || at >= size) {
                not_followed();
            }
            take({static_cast<std::size_t>(at)}, false);
        } else if (part.kind == IndexPart::Kind::chosen) {
            if (std::ranges::any_of(part.chosen, [&](std::size_t at) { return at >= shape[axis]; })) {
                not_followed();
            }
            take(part.chosen, true);
        } else {
            const std::int64_t step = part.step.value_or(1);
            const auto bound = [&](std::int64_t at) {
                return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
            };
            Sizes at;
            for (std::int64_t i = bound(part.from.value_or(0)); step > 0 && i < bound(part.to.value_or(size));
                 i += step) {
                at.push_back(static_cast<std::size_t>(i));
            }
            take(at, true);
        }
    }
    while (axis < shape.rank()) {
        take(all(shape[axis]), true);
    }
    result.shape = Shape(sizes);
    return result;
}

Tensor part_of(const Tensor& x, const Selected& at) {
    Tensor result(at.shape);
    for (std::size_t i = 0; i < at.offsets.size(); ++i) {
        result.values()[i] = x.values()[at.offsets[i]];
    }
    return result;
}

Sizes indices_of(const Tensor& x) {
    Sizes all;
    constexpr float most = 0x1p24F;
    for (const float i : x.values()) {
        if (!(i >= 0.0F && i < most && i == std::trunc(i))) {
            not_followed();
        }
        all.push_back(static_cast<std::size_t>(i));
    }
    return all;
}

}  // namespace attn::flow
