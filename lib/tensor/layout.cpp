#include "tensor/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tensor/error.hpp"
#include "tensor/strided.hpp"

namespace attn {

namespace {

// Sets numbers to 0 unless `keep` accepts their diagonal, which is column − row.
template <typename Keep>
Tensor triangle(const char* name, const Tensor& x, Keep keep) {
    if (x.rank() < 2) {
        throw Error("[{}] Expected at least 2 dimensions but received {}.", name, x.shape().text());
    }
    Tensor result = x;
    const std::size_t rows = x.size(-2);
    const std::size_t columns = x.size(-1);
    for (std::size_t i = 0; i < x.count(); ++i) {
        if (!keep(static_cast<std::ptrdiff_t>(i % columns) -
                  static_cast<std::ptrdiff_t>(i / columns % rows))) {
            result.values()[i] = 0.0F;
        }
    }
    return result;
}

// Divides each part into `pieces` equal pieces. Joins the first pieces of all parts, then the second pieces,
// and so on.
std::vector<float> in_turn(const std::vector<Tensor>& parts, std::size_t pieces) {
    std::vector<float> values;
    for (std::size_t i = 0; i < pieces; ++i) {
        for (const Tensor& part : parts) {
            const std::size_t size = part.count() / pieces;
            const auto piece = part.values().subspan(i * size, size);
            values.insert(values.end(), piece.begin(), piece.end());
        }
    }
    return values;
}

float* copy(const float* from, const Shape& shape, const Strides& strides, std::size_t axis, float* to) {
    if (axis == shape.rank()) {
        *to = *from;
        return to + 1;
    }
    if (axis + 1 == shape.rank() && strides[axis] == 1) {
        return std::copy_n(from, shape[axis], to);
    }
    if (axis + 1 == shape.rank()) {
        for (std::size_t i = 0; i < shape[axis]; ++i) {
            *to++ = from[i * strides[axis]];
        }
        return to;
    }
    for (std::size_t i = 0; i < shape[axis]; ++i) {
        to = copy(from + i * strides[axis], shape, strides, axis + 1, to);
    }
    return to;
}

}  // namespace

Tensor strided(const Tensor& x, const Shape& shape, const Strides& strides, std::size_t start) {
    Tensor result(shape);
    if (result.count() > 0) {
        copy(x.values().data() + start, shape, strides, 0, result.values().data());
    }
    return result;
}

Strides strides_of(const Shape& shape) {
    Strides strides{};
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        strides[axis] = shape.around(axis).inner;
    }
    return strides;
}

Tensor expand(const Tensor& x, const Shape& shape) {
    const Strides own = strides_of(x.shape());
    const std::size_t missing = shape.rank() - x.rank();
    Strides strides{};
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        strides[axis + missing] = x.shape()[axis] == 1 ? 0 : own[axis];
    }
    return strided(x, shape, strides);
}

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
    return tril(triu(strided(x, {x.count(), x.count()}, {0, 1})));
}

Tensor tril(const Tensor& x, int diagonal) {
    return triangle("tril", x, [diagonal](std::ptrdiff_t of) { return of <= diagonal; });
}

Tensor triu(const Tensor& x, int diagonal) {
    return triangle("triu", x, [diagonal](std::ptrdiff_t of) { return of >= diagonal; });
}

Tensor view(const Tensor& x, const Shape& shape) {
    if (shape.count() != x.count()) {
        throw Error("[view] Expected a shape for {} numbers but received {} for {}.", x.count(), shape.text(),
                    x.shape().text());
    }
    return Tensor(shape, std::vector<float>(x.values().begin(), x.values().end()));
}

Tensor select(const Tensor& x, const std::vector<std::size_t>& leading) {
    Index index{};
    for (std::size_t axis = 0; axis < leading.size(); ++axis) {
        if (axis >= x.rank() || leading[axis] >= x.shape()[axis]) {
            throw Error("[select] Expected an index within {} but received {}.", x.shape().text(),
                        leading[axis]);
        }
        index[axis] = leading[axis];
    }
    const Shape shape(std::span(x.shape().begin() + leading.size(), x.shape().end()));
    return strided(x, shape, strides_of(shape), x.offset(index));
}

Tensor slice(const Tensor& x, int dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
    const std::size_t axis = x.shape().axis(dim, "slice");
    const auto size = static_cast<std::int64_t>(x.shape()[axis]);
    const auto place = [size](std::int64_t index) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size));
    };
    const std::size_t from = place(start.value_or(0));
    Shape shape = x.shape();
    shape[axis] = std::max(from, place(end.value_or(size))) - from;
    const Strides strides = strides_of(x.shape());
    return strided(x, shape, strides, from * strides[axis]);
}

Tensor stack(const std::vector<Tensor>& parts) {
    if (parts.empty() || parts[0].rank() == Shape::max_rank) {
        throw Error("[stack] Expected at least one tensor, of at most 4 dimensions.");
    }
    std::vector<std::size_t> sizes{parts.size()};
    sizes.insert(sizes.end(), parts[0].shape().begin(), parts[0].shape().end());
    for (const Tensor& part : parts) {
        if (part.shape() != parts[0].shape()) {
            throw Error("[stack] Expected equal shapes but received {} and {}.", parts[0].shape().text(),
                        part.shape().text());
        }
    }
    return Tensor(Shape(sizes), in_turn(parts, 1));
}

Tensor cat(const std::vector<Tensor>& parts, int dim) {
    if (parts.empty()) {
        throw Error("[cat] Expected at least one tensor.");
    }
    Shape shape = parts[0].shape();
    const std::size_t along = shape.axis(dim, "cat");
    shape[along] = 0;
    for (const Tensor& part : parts) {
        Shape others = part.shape();
        if (others.rank() == shape.rank()) {
            others[along] = shape[along];
        }
        if (others != shape) {
            throw Error("[cat] Expected shapes equal but for one axis but received {} and {}.",
                        parts[0].shape().text(), part.shape().text());
        }
        shape[along] += part.shape()[along];
    }
    return Tensor(shape, in_turn(parts, shape.around(along).outer));
}

Tensor repeat_interleave(const Tensor& x, std::size_t repeats, int dim) {
    const std::size_t axis = x.shape().axis(dim, "repeat_interleave");
    const auto [outer, length, inner] = x.shape().around(axis);
    Shape shape = x.shape();
    shape[axis] *= repeats;
    return view(strided(x, {outer, length, repeats, inner}, {length * inner, inner, 0, 1}), shape);
}

Tensor repeat(const Tensor& x, const std::vector<std::size_t>& repeats) {
    if (repeats.size() != x.rank()) {
        throw Error("[repeat] Expected a number for each axis of {} but received {}.", x.shape().text(),
                    repeats.size());
    }
    Tensor result = x;
    for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
        Shape repeated = result.shape();
        repeated[axis] *= Shape{repeats[axis]}.count();
        static_cast<void>(repeated.count());  // throws Error before the parts need memory
        result = cat(std::vector(repeats[axis], result), static_cast<int>(axis));
    }
    return result;
}

Tensor transpose(const Tensor& x, int dim0, int dim1) {
    const std::size_t first = x.shape().axis(dim0, "transpose");
    const std::size_t second = x.shape().axis(dim1, "transpose");
    Shape shape = x.shape();
    Strides strides = strides_of(shape);
    std::swap(shape[first], shape[second]);
    std::swap(strides[first], strides[second]);
    return strided(x, shape, strides);
}

}  // namespace attn
