#include "tensor/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tensor/error.hpp"

namespace attn {

namespace {

template <typename Keep>
Tensor triangle(const char* name, const Tensor& x, Keep keep) {
    if (x.rank() < 2) {
        throw Error("[{}] Expected at least 2 dimensions but received {}.", name, x.shape().text());
    }
    Tensor result = x;
    const std::size_t rows = x.size(-2);
    const std::size_t columns = x.size(-1);
    for (std::size_t start = 0; start < result.count(); start += columns) {
        const auto row = static_cast<std::ptrdiff_t>(start / columns % rows);
        for (std::size_t column = 0; column < columns; ++column) {
            if (!keep(row, static_cast<std::ptrdiff_t>(column))) {
                result.values()[start + column] = 0.0F;
            }
        }
    }
    return result;
}

std::vector<const Tensor*> pointers(std::initializer_list<Tensor> parts) {
    std::vector<const Tensor*> result;
    for (const Tensor& part : parts) {
        result.push_back(&part);
    }
    return result;
}

}  // namespace

Tensor full(const Shape& shape, float value) {
    return Tensor(shape, std::vector<float>(shape.count(), value));
}

Tensor ones(const Shape& shape) {
    return full(shape, 1.0F);
}

Tensor diag(const Tensor& x) {
    if (x.rank() != 1) {
        throw Error("[diag] Expected a vector but received {}.", x.shape().text());
    }
    Tensor result(Shape{x.count(), x.count()});
    for (std::size_t i = 0; i < x.count(); ++i) {
        result.values()[i * (x.count() + 1)] = x.values()[i];
    }
    return result;
}

Tensor tril(const Tensor& x, int diagonal) {
    return triangle("tril", x, [diagonal](auto row, auto column) { return column <= row + diagonal; });
}

Tensor triu(const Tensor& x, int diagonal) {
    return triangle("triu", x, [diagonal](auto row, auto column) { return column >= row + diagonal; });
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (shape.count() != x.count()) {
        throw Error("[view] Expected a shape for {} numbers but received {} for {}.", x.count(), shape.text(),
                    x.shape().text());
    }
    return Tensor(shape, std::vector<float>(x.values().begin(), x.values().end()));
}

Tensor select(const Tensor& x, std::span<const std::size_t> leading) {
    Index index{};
    for (std::size_t axis = 0; axis < leading.size(); ++axis) {
        if (axis >= x.rank() || leading[axis] >= x.shape()[axis]) {
            throw Error("[select] Expected an index within {} but received {}.", x.shape().text(),
                        leading[axis]);
        }
        index[axis] = leading[axis];
    }
    const Shape shape(std::span(x.shape().begin() + leading.size(), x.shape().end()));
    const auto first = x.values().begin() + static_cast<std::ptrdiff_t>(x.offset(index));
    return Tensor(shape, std::vector<float>(first, first + static_cast<std::ptrdiff_t>(shape.count())));
}

Tensor select(const Tensor& x, std::initializer_list<std::size_t> leading) {
    return select(x, std::span(leading.begin(), leading.size()));
}

Tensor slice(const Tensor& x, int dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
    const std::size_t axis = x.shape().axis(dim, "slice");
    const auto size = static_cast<std::int64_t>(x.shape()[axis]);
    const auto place = [size](std::int64_t index) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size));
    };
    const std::size_t from = place(start.value_or(0));
    const std::size_t to = std::max(from, place(end.value_or(size)));
    const auto [outer, length, inner] = x.shape().around(axis);
    Shape shape = x.shape();
    shape[axis] = to - from;
    std::vector<float> values;
    values.reserve(shape.count());
    for (std::size_t i = 0; i < outer; ++i) {
        const auto kept = x.values().subspan((i * length + from) * inner, (to - from) * inner);
        values.insert(values.end(), kept.begin(), kept.end());
    }
    return Tensor(shape, std::move(values));
}

Tensor stack(std::span<const Tensor* const> parts) {
    if (parts.empty() || parts[0]->rank() == Shape::max_rank) {
        throw Error("[stack] Expected at least one tensor, of at most 3 dimensions.");
    }
    std::vector<std::size_t> sizes{parts.size()};
    sizes.insert(sizes.end(), parts[0]->shape().begin(), parts[0]->shape().end());
    std::vector<float> values;
    for (const Tensor* part : parts) {
        if (part->shape() != parts[0]->shape()) {
            throw Error("[stack] Expected equal shapes but received {} and {}.", parts[0]->shape().text(),
                        part->shape().text());
        }
        values.insert(values.end(), part->values().begin(), part->values().end());
    }
    return Tensor(Shape(sizes), std::move(values));
}

Tensor stack(std::initializer_list<Tensor> parts) {
    return stack(pointers(parts));
}

Tensor cat(std::span<const Tensor* const> parts, int dim) {
    if (parts.empty()) {
        throw Error("[cat] Expected at least one tensor.");
    }
    Shape shape = parts[0]->shape();
    const std::size_t along = shape.axis(dim, "cat");
    shape[along] = 0;
    for (const Tensor* part : parts) {
        Shape others = part->shape();
        if (others.rank() == shape.rank()) {
            others[along] = shape[along];
        }
        if (others != shape) {
            throw Error("[cat] Expected shapes equal but for one axis but received {} and {}.",
                        parts[0]->shape().text(), part->shape().text());
        }
        shape[along] += part->shape()[along];
    }
    std::vector<float> values;
    values.reserve(shape.count());
    for (std::size_t i = 0; i < shape.around(along).outer; ++i) {
        for (const Tensor* part : parts) {
            const auto [outer, length, inner] = part->shape().around(along);
            const auto row = part->values().subspan(i * length * inner, length * inner);
            values.insert(values.end(), row.begin(), row.end());
        }
    }
    return Tensor(shape, std::move(values));
}

Tensor cat(std::initializer_list<Tensor> parts, int dim) {
    return cat(pointers(parts), dim);
}

Tensor repeat_interleave(const Tensor& x, std::size_t repeats, int dim) {
    const std::size_t axis = x.shape().axis(dim, "repeat_interleave");
    const std::size_t inner = x.shape().around(axis).inner;
    Shape shape = x.shape();
    shape[axis] *= repeats;
    std::vector<float> values;
    values.reserve(shape.count());
    for (std::size_t start = 0; start < x.count(); start += inner) {
        const auto part = x.values().subspan(start, inner);
        for (std::size_t i = 0; i < repeats; ++i) {
            values.insert(values.end(), part.begin(), part.end());
        }
    }
    return Tensor(shape, std::move(values));
}

Tensor repeat(const Tensor& x, std::span<const std::size_t> repeats) {
    if (repeats.size() != x.rank()) {
        throw Error("[repeat] Expected a number for each axis of {} but received {}.", x.shape().text(),
                    repeats.size());
    }
    Tensor result = x;
    for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
        const std::vector<const Tensor*> parts(repeats[axis], &result);
        result = cat(parts, static_cast<int>(axis));
    }
    return result;
}

Tensor repeat(const Tensor& x, std::initializer_list<std::size_t> repeats) {
    return repeat(x, std::span(repeats.begin(), repeats.size()));
}

Tensor transpose(const Tensor& x, int dim0, int dim1) {
    const std::size_t first = x.shape().axis(dim0, "transpose");
    const std::size_t second = x.shape().axis(dim1, "transpose");
    Shape shape = x.shape();
    std::swap(shape[first], shape[second]);
    Tensor result(shape);
    if (x.count() == 0) {
        return result;
    }
    // A row of the result lies in x one step apart.
    const std::size_t length = shape[shape.rank() - 1];
    Index next{};
    next[second + 1 == x.rank() ? first : first + 1 == x.rank() ? second : x.rank() - 1] = 1;
    const std::size_t step = x.offset(next);
    for (std::size_t start = 0; start < result.count(); start += length) {
        Index index = result.index(start);
        std::swap(index[first], index[second]);
        const float* const from = x.values().data() + x.offset(index);
        for (std::size_t i = 0; i < length; ++i) {
            result.values()[start + i] = from[i * step];
        }
    }
    return result;
}

}  // namespace attn
