// Functions that only move numbers.
#include <algorithm>
#include <utility>

#include "dataflow/functions.hpp"
#include "tensor/layout.hpp"
#include "tensor/strided.hpp"

namespace attn::flow {

Tensor with_axes(const Tensor& x, const Sizes& axes) {
    const Strides strides = strides_of(x.shape());
    Sizes sizes;
    Strides moved{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        sizes.push_back(x.shape()[axes[i]]);
        moved.at(i) = strides.at(axes[i]);
    }
    return strided(x, Shape(sizes), moved);
}

namespace {

Sizes sizes_of(const Tensor& x) {
    return {x.shape().begin(), x.shape().end()};
}

// With an axis of size 1 before this one.
Tensor with_axis(const Tensor& x, int dim) {
    Sizes sizes = sizes_of(x);
    const auto rank = static_cast<int>(sizes.size());
    if (dim < -rank - 1 || dim > rank) {
        not_followed();
    }
    sizes.insert(dim < 0 ? sizes.end() + dim + 1 : sizes.begin() + dim, 1);
    return view(x, Shape(sizes));
}

// Replaces the axes from first to last by axes of these sizes, of which one may be -1.
Tensor split_axis(const Tensor& x, int first, int last, const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> all(x.shape().begin(), x.shape().end());
    const auto from = static_cast<std::ptrdiff_t>(x.shape().axis(first));
    all.erase(all.begin() + from, all.begin() + static_cast<std::ptrdiff_t>(x.shape().axis(last)) + 1);
    all.insert(all.begin() + from, sizes.begin(), sizes.end());
    return view(x, sized(all, x.count()));
}

Tensor flattened(const Given& given) {
    const Tensor x = given.input();
    return x.rank() == 0 ? view(x, Shape{1})
                         : split_axis(x, given.integer("start_dim", 1).value_or(0),
                                      given.integer("end_dim", 2).value_or(-1), {-1});
}

Tensor transposed(const Given& given) {
    const Tensor x = given.input();
    const std::optional<int> first = given.integer("dim0", 1);
    return x.rank() < 2 ? x : transpose(x, first.value_or(-2), given.integer("dim1", 2).value_or(-1));
}

Tensor permuted(const Given& given) {
    const Tensor x = given.input();
    Sizes axes;
    for (const std::int64_t dim : given.integers("dims", 1)) {
        axes.push_back(x.shape().axis(static_cast<int>(dim)));
    }
    return with_axes(x, axes);
}

Tensor squeezed(const Given& given) {
    const Tensor x = given.input();
    const std::optional<int> dim = given.integer("dim", 1);
    Sizes sizes;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        if (x.shape()[axis] != 1 || (dim && x.shape().axis(*dim) != axis)) {
            sizes.push_back(x.shape()[axis]);
        }
    }
    return view(x, Shape(sizes));
}

std::vector<Tensor> parts_of(const Given& given) {
    const Value* const list = given.find("tensors", 0);
    std::vector<Tensor> parts;
    for (const Value& item : list == nullptr ? std::vector<Value>() : list->items) {
        parts.push_back(given.tensor_of(item));
    }
    if (parts.empty()) {
        not_followed();
    }
    return parts;
}

int axis_of_parts(const Given& given) {
    return given.integer("axis", by_keyword).value_or(given.integer("dim", 1).value_or(0));
}

Tensor stacked(const Given& given) {
    std::vector<Tensor> parts = parts_of(given);
    const int dim = axis_of_parts(given);
    for (Tensor& part : parts) {
        part = with_axis(part, dim);
    }
    return cat(parts, dim);
}

// Side by side, or one below the other.
Tensor stacked_rows(const Given& given, std::size_t axis) {
    std::vector<Tensor> parts = parts_of(given);
    for (Tensor& part : parts) {
        part = part.rank() == 1 && axis == 0 ? with_axis(part, 0) : part;
    }
    return cat(parts, parts[0].rank() > 1 ? static_cast<int>(axis) : 0);
}

Tensor flipped(const Given& given) {
    const Tensor x = given.input();
    const std::vector<std::int64_t> dims = given.integers("dims", 1);
    if (dims.size() != 1) {
        not_followed();
    }
    const auto [outer, length, inner] = x.shape().around(x.shape().axis(static_cast<int>(dims[0])));
    Tensor result(x.shape());
    for (std::size_t i = 0; i < x.count(); ++i) {
        const std::size_t at = i / inner % length;
        result.values()[i] = x.values()[i + (length - 1 - at) * inner - at * inner];
    }
    return result;
}

Tensor expanded(const Given& given) {
    const Tensor x = given.input();
    std::vector<std::int64_t> sizes = given.integers("size", 1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t from_end = sizes.size() - i;
        if (sizes[i] < 0 && from_end <= x.rank()) {
            sizes[i] = static_cast<std::int64_t>(x.shape()[x.rank() - from_end]);
        }
    }
    return expand(x, sized(sizes, 0));
}

Tensor repeated(const Given& given) {
    const Tensor x = given.input();
    Sizes times;
    for (const std::int64_t one : given.integers("repeats", 1)) {
        times.push_back(static_cast<std::size_t>(std::max<std::int64_t>(one, 0)));
    }
    Sizes sizes = sizes_of(x);
    if (times.size() < sizes.size()) {
        not_followed();
    }
    sizes.insert(sizes.begin(), times.size() - x.rank(), 1);
    return repeat(view(x, Shape(sizes)), times);
}

// (…, m, …) → (…, m · repeats, …): each part along the axis several times in a row.
Tensor interleaved(const Given& given) {
    const Tensor x = given.input();
    const std::size_t times = given.count("repeats", 1);
    const std::optional<int> dim = given.integer("dim", 2);
    if (!dim) {
        return view(repeat(view(x, Shape{x.count(), 1}), {1, times}), Shape{x.count() * times});
    }
    const std::size_t axis = x.shape().axis(*dim);
    const auto [outer, length, inner] = x.shape().around(axis);
    Sizes sizes = sizes_of(x);
    sizes[axis] *= times;
    Tensor result((Shape(sizes)));
    for (std::size_t i = 0; i < result.count(); ++i) {
        const std::size_t row = i / inner;  // of outer · length · times
        result.values()[i] = x.values()[row / times * inner + i % inner];
    }
    return result;
}

Tensor as_tensor(const Given& given, std::size_t position) {
    const Value* const data = given.find("data", position);
    return given.nested(data == nullptr ? Value{} : *data);
}

}  // namespace

std::vector<Function> moves() {
    using enum Role;
    return {
        {"clone",
         step,
         {"detach", "contiguous", "float", "double", "cpu", "cuda", "numpy", "to", "from_numpy",
          "requires_grad_", "copy", "astype", "type", "Parameter", "type_as", "DataFrame"},
         [](const Given& given) { return given.input(); }},
        {"tensor",
         move,
         {"array", "asarray", "as_tensor", "FloatTensor", "LongTensor", "IntTensor", "BoolTensor", "Tensor"},
         [](const Given& given) { return as_tensor(given, 0); }},
        {"new_tensor", step, {}, [](const Given& given) { return as_tensor(given, 1); }},
        {"transpose", move, {"T", "mT", "t", "swapaxes", "swapdims"}, transposed},
        {"permute", move, {}, permuted},
        {"squeeze", move, {}, squeezed},
        {"unsqueeze",
         move,
         {},
         [](const Given& given) { return with_axis(given.input(), given.integer("dim", 1).value_or(0)); }},
        {"view",
         move,
         {"reshape"},
         [](const Given& given) {
             const Tensor x = given.input();
             return view(x, sized(given.integers("shape", 1), x.count()));
         }},
        {"view_as",
         move,
         {"reshape_as"},
         [](const Given& given) { return view(given.input(), given.tensor("other", 1).shape()); }},
        {"flatten", move, {"ravel"}, flattened},
        {"unflatten",
         move,
         {},
         [](const Given& given) {
             const int dim = given.integer("dim", 1).value_or(0);
             return split_axis(given.input(), dim, dim, given.integers("sizes", 2));
         }},
        {"assigned",
         step,
         {"copy_"},
         [](const Given& given) { return expand(given.tensor("src", 1), given.input().shape()); }},
        {"expand", move, {"broadcast_to"}, expanded},
        {"expand_as",
         move,
         {},
         [](const Given& given) { return expand(given.input(), given.tensor("other", 1).shape()); }},
        {"repeat", move, {"tile"}, repeated},
        {"repeat_interleave", move, {}, interleaved},
        {"flip", move, {}, flipped},
        {"stack", move, {}, stacked},
        {"cat",
         move,
         {"concat", "concatenate"},
         [](const Given& given) { return cat(parts_of(given), axis_of_parts(given)); }},
        {"hstack", move, {}, [](const Given& given) { return stacked_rows(given, 1); }},
        {"vstack", move, {}, [](const Given& given) { return stacked_rows(given, 0); }},
    };
}

}  // namespace attn::flow
