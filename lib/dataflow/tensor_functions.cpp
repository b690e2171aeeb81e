#include "dataflow/tensor_functions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"
#include "tensor/strided.hpp"
#include "tensor/trigonometry.hpp"

namespace attn::flow {

Value Value::of(double number, std::optional<std::size_t> node) {
    return {.kind = Kind::number, .number = number, .node = node};
}
Value Value::of(std::string text) {
    constexpr std::size_t longest = 100'000;  // texts double quickly
    return text.size() > longest ? Value{} : Value{.kind = Kind::text, .text = std::move(text)};
}
Value Value::of(std::vector<Value> items) {
    return {.kind = Kind::list, .items = std::move(items)};
}
Value Value::truth(bool value) {
    return {.kind = Kind::truth, .number = value ? 1.0 : 0.0};
}

void not_followed() {
    throw Error(Message::verbatim("not followed"));
}

const Value* Given::find(std::string_view keyword, std::size_t position) const {
    std::size_t positional = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (keywords[i].empty() ? positional++ == position : keywords[i] == keyword) {
            return &values[i];
        }
    }
    return nullptr;
}

Tensor Given::tensor(std::string_view keyword, std::size_t position) const {
    const Value* const value = find(keyword, position);
    if (value == nullptr || !(value->is_number() || value->is(Value::Kind::tensor))) {
        not_followed();
    }
    return tensor_of(*value);
}

double Given::number(std::string_view keyword, std::size_t position, double otherwise) const {
    const Value* const value = find(keyword, position);
    if (value == nullptr || value->is(Value::Kind::none)) {
        return otherwise;
    }
    const Tensor x = tensor(keyword, position);
    if (x.count() != 1) {
        not_followed();
    }
    return value->is_number() ? value->number : static_cast<double>(x.values()[0]);
}

std::optional<int> Given::integer(std::string_view keyword, std::size_t position) const {
    const Value* const value = find(keyword, position);
    const bool is_missing = value == nullptr || value->is(Value::Kind::none);
    return is_missing ? std::nullopt : std::optional(static_cast<int>(number(keyword, position, 0.0)));
}

std::vector<std::int64_t> Given::integers(std::string_view keyword, std::size_t position) const {
    std::vector<std::int64_t> all;
    const Value* const value = find(keyword, position);
    if (value != nullptr && value->is(Value::Kind::list)) {
        for (const Value& item : value->items) {
            if (!item.is_number()) {
                not_followed();
            }
            all.push_back(static_cast<std::int64_t>(item.number));
        }
        return all;
    }
    for (; const Value* const one = find(keyword, position); ++position) {
        if (!one->is_number()) {
            not_followed();
        }
        all.push_back(static_cast<std::int64_t>(one->number));
        if (!keywords.empty() && find(keyword, 1000) != nullptr) {
            break;
        }
    }
    return all;
}

namespace {

Shape shape_of(const std::vector<std::int64_t>& sizes, std::size_t count) {
    std::vector<std::size_t> all;
    std::size_t known = 1;
    for (const std::int64_t size : sizes) {
        known *= size < 0 ? 1 : static_cast<std::size_t>(size);
    }
    for (const std::int64_t size : sizes) {
        all.push_back(size < 0 ? count / std::max<std::size_t>(known, 1) : static_cast<std::size_t>(size));
    }
    return Shape(all);
}

Shape joint_shape(const Shape& a, const Shape& b) {
    std::vector<std::size_t> sizes(std::max(a.rank(), b.rank()), 1);
    for (const Shape* const shape : {&a, &b}) {
        for (std::size_t i = 0; i < shape->rank(); ++i) {
            std::size_t& size = sizes[sizes.size() - 1 - i];
            const std::size_t other = (*shape)[shape->rank() - 1 - i];
            if (size != other && size != 1 && other != 1) {
                not_followed();
            }
            size = size == 1 ? other : size;
        }
    }
    return Shape(sizes);
}

template <typename Function>
Tensor zipped(const Tensor& a, const Tensor& b, Function function) {
    const Shape shape = joint_shape(a.shape(), b.shape());
    const Tensor x = expand(a, shape);
    const Tensor y = expand(b, shape);
    Tensor result(shape);
    for (std::size_t i = 0; i < result.count(); ++i) {
        result.values()[i] = function(x.values()[i], y.values()[i]);
    }
    return result;
}

// Moves the axes to the given order.
Tensor with_axes(const Tensor& x, const std::vector<std::size_t>& axes) {
    const Strides strides = strides_of(x.shape());
    std::vector<std::size_t> sizes;
    Strides moved{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        sizes.push_back(x.shape()[axes[i]]);
        moved.at(i) = strides.at(axes[i]);
    }
    return strided(x, Shape(sizes), moved);
}

// The argument of a reduction, with the axes that it reduces as one axis.
struct Reduction {
    Tensor x;
    std::size_t axis = 0;
    bool keeps = false;
};

Reduction reduction(const Given& given) {
    const Tensor x = given.tensor("input", 0);
    const Value* const by_axis = given.find("axis", 1000);
    const Value* const dims = by_axis != nullptr ? by_axis : given.find("dim", 1);
    if (dims == nullptr || dims->is(Value::Kind::none)) {
        return {view(x, Shape{x.count()})};
    }
    const bool keeps = given.number("keepdim", 2, 0.0) != 0.0 || given.number("keepdims", 1000, 0.0) != 0.0;
    if (dims->is_number()) {
        return {x, x.shape().axis(static_cast<int>(dims->number)), keeps};
    }
    std::vector<std::size_t> reduced;
    for (const Value& dim : dims->items) {
        reduced.push_back(x.shape().axis(static_cast<int>(dim.number)));
    }
    std::vector<std::size_t> axes;
    std::vector<std::size_t> sizes;
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        if (std::ranges::find(reduced, axis) == reduced.end()) {
            axes.push_back(axis);
            sizes.push_back(x.shape()[axis]);
        } else {
            count *= x.shape()[axis];
        }
    }
    if (keeps || reduced.empty()) {
        not_followed();
    }
    axes.insert(axes.end(), reduced.begin(), reduced.end());
    sizes.push_back(count);
    return {view(with_axes(x, axes), Shape(sizes)), sizes.size() - 1};
}

using Line = std::span<const float>;

template <typename Function>
Tensor reduced(const Given& given, Function function) {
    const Reduction of = reduction(given);
    return along(of.x, of.axis, of.keeps,
                 [&](Line line, std::size_t) { return static_cast<float>(function(line)); });
}

double total(Line line) {
    return std::accumulate(line.begin(), line.end(), 0.0);
}

std::vector<float> without_nan(Line line) {
    std::vector<float> kept;
    std::ranges::copy_if(line, std::back_inserter(kept), [](float x) { return !std::isnan(x); });
    return kept;
}

// The sum of squared distances from the mean.
double squares(Line line) {
    const double mean = total(line) / static_cast<double>(line.size());
    double sum = 0.0;
    for (const float x : line) {
        sum += std::pow(static_cast<double>(x) - mean, 2.0);
    }
    return sum;
}

// Replaces the axes from first to last by axes of these sizes, of which one may be -1.
Tensor split_axis(const Tensor& x, int first, int last, const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> all(x.shape().begin(), x.shape().end());
    const auto from = static_cast<std::ptrdiff_t>(x.shape().axis(first));
    all.erase(all.begin() + from, all.begin() + static_cast<std::ptrdiff_t>(x.shape().axis(last)) + 1);
    all.insert(all.begin() + from, sizes.begin(), sizes.end());
    return view(x, shape_of(all, x.count()));
}

Tensor transposed(const Given& given) {
    const Tensor x = given.tensor("input", 0);
    if (x.rank() < 2) {
        return x;
    }
    const bool has_axes = given.integer("dim0", 1).has_value();
    return has_axes ? transpose(x, *given.integer("dim0", 1), given.integer("dim1", 2).value_or(-1))
                    : transpose(x, -2, -1);
}

Tensor permuted(const Given& given) {
    const Tensor x = given.tensor("input", 0);
    std::vector<std::size_t> axes;
    for (const std::int64_t dim : given.integers("dims", 1)) {
        axes.push_back(x.shape().axis(static_cast<int>(dim)));
    }
    return with_axes(x, axes);
}

Tensor squeezed(const Given& given) {
    const Tensor x = given.tensor("input", 0);
    const std::optional<int> dim = given.integer("dim", 1);
    std::vector<std::size_t> sizes;
    for (std::size_t axis = 0; axis < x.rank(); ++axis) {
        if (x.shape()[axis] != 1 || (dim && x.shape().axis(*dim) != axis)) {
            sizes.push_back(x.shape()[axis]);
        }
    }
    return view(x, Shape(sizes));
}

Tensor unsqueezed(const Given& given) {
    const Tensor x = given.tensor("input", 0);
    std::vector<std::size_t> sizes(x.shape().begin(), x.shape().end());
    const int dim = given.integer("dim", 1).value_or(0);
    const auto at = dim < 0 ? static_cast<std::ptrdiff_t>(sizes.size()) + 1 + dim : dim;
    sizes.insert(sizes.begin() + at, 1);
    return view(x, Shape(sizes));
}

std::vector<Tensor> parts_of(const Given& given) {
    const Value* const list = given.find("tensors", 0);
    std::vector<Tensor> parts;
    for (const Value& item : list == nullptr ? std::vector<Value>() : list->items) {
        parts.push_back(given.tensor_of(item));
    }
    return parts;
}

Tensor stacked(const Given& given) {
    std::vector<Tensor> parts = parts_of(given);
    const int dim = static_cast<int>(given.number("dim", 1, given.number("axis", 1000, 0.0)));
    if (dim == 0) {
        return stack(parts);
    }
    for (Tensor& part : parts) {
        std::vector<std::size_t> sizes(part.shape().begin(), part.shape().end());
        sizes.insert(dim < 0 ? sizes.end() + dim + 1 : sizes.begin() + dim, 1);
        part = view(part, Shape(sizes));
    }
    return cat(parts, dim);
}

Tensor joined(const Given& given) {
    return cat(parts_of(given), static_cast<int>(given.number("dim", 1, given.number("axis", 1000, 0.0))));
}

Tensor softmaxed(const Given& given) {
    const std::optional<int> dim = given.integer("dim", 1);
    return softmax(given.tensor("input", 0), dim ? *dim : given.integer("axis", 1000).value_or(-1));
}

Tensor counted(const Given& given) {  // arange
    const bool one = given.find("end", 1) == nullptr;
    const double from = one ? 0.0 : given.number("start", 0, 0.0);
    const double to = one ? given.number("end", 0, 0.0) : given.number("end", 1, 0.0);
    const double step = given.number("step", 2, 1.0);
    constexpr std::size_t most = 1'000'000;
    std::vector<float> values;
    for (double x = from; (step > 0 ? x < to : step < 0 && x > to) && values.size() < most; x += step) {
        values.push_back(static_cast<float>(x));
    }
    const std::size_t count = values.size();
    return {Shape{count}, std::move(values)};
}

Tensor eye(std::size_t n) {
    return diag(ones(Shape{n}));
}

Tensor picked_diagonal(const Tensor& x) {
    if (x.rank() != 2) {
        return diag(x);
    }
    Tensor result(Shape{std::min(x.size(0), x.size(1))});
    for (std::size_t i = 0; i < result.count(); ++i) {
        result.values()[i] = x.at({i, i});
    }
    return result;
}

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
    std::vector<std::size_t> out;
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
            std::vector<std::size_t> at(operands.size());
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
    if (given.number("is_causal", 5, 0.0) != 0.0) {
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

// (…, m, …) → (…, m, …): each number of a line becomes the sum of those up to it.
Tensor summed_up(const Given& given) {
    Tensor x = given.tensor("input", 0);
    const std::optional<int> by_axis = given.integer("axis", 1000);
    const std::size_t axis = x.shape().axis(by_axis ? *by_axis : given.integer("dim", 1).value_or(0));
    const auto [outer, length, inner] = x.shape().around(axis);
    for (std::size_t i = inner; i < x.count(); ++i) {
        if (i / inner % length != 0) {
            x.values()[i] += x.values()[i - inner];
        }
    }
    return x;
}

// Reverses one axis.
Tensor flipped(const Given& given, std::optional<int> dim) {
    const Tensor x = given.tensor("input", 0);
    const std::vector<std::int64_t> dims = dim ? std::vector<std::int64_t>{*dim} : given.integers("dims", 1);
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

// (…, m, …) → (…, m · repeats, …): each part along the axis several times in a row.
Tensor interleaved(const Given& given) {
    const Tensor x = given.tensor("input", 0);
    const auto times = static_cast<std::size_t>(given.number("repeats", 1, 1.0));
    const std::optional<int> dim = given.integer("dim", 2);
    if (!dim) {
        return view(repeat(view(x, Shape{x.count(), 1}), {1, times}), Shape{x.count() * times});
    }
    const std::size_t axis = x.shape().axis(*dim);
    const auto [outer, length, inner] = x.shape().around(axis);
    std::vector<std::size_t> sizes(x.shape().begin(), x.shape().end());
    sizes[axis] *= times;
    Tensor result((Shape(sizes)));
    for (std::size_t i = 0; i < result.count(); ++i) {
        const std::size_t row = i / inner;  // of outer · length · times
        result.values()[i] = x.values()[row / times * inner + i % inner];
    }
    return result;
}

// The parts at these indices of an axis.
Tensor chosen_parts(const Given& given) {
    const Tensor x = given.tensor("input", 0);
    const Tensor index = given.tensor("index", 2);
    std::vector<IndexPart> parts(x.shape().axis(given.integer("dim", 1).value_or(0)),
                                 {.kind = IndexPart::Kind::range});
    parts.push_back({.kind = IndexPart::Kind::chosen});
    for (const float at : index.values()) {
        parts.back().chosen.push_back(static_cast<std::size_t>(std::max(at, 0.0F)));
    }
    const Selected at = selected(x.shape(), parts);
    Tensor result(at.shape);
    for (std::size_t i = 0; i < at.offsets.size(); ++i) {
        result.values()[i] = x.values()[at.offsets[i]];
    }
    return result;
}

// Each row minus its mean, divided by its standard deviation.
Tensor normalised(const Given& given) {  // layer_norm
    const double eps = given.number("eps", 4, 1e-5);
    Tensor x = given.tensor("input", 0);
    const std::size_t width = x.size(-1);
    for (std::size_t row = 0; row * width < x.count(); ++row) {
        const std::span<float> line = x.values().subspan(row * width, width);
        const double mean = total(line) / static_cast<double>(width);
        const double deviation = std::sqrt(squares(line) / static_cast<double>(width) + eps);
        for (float& value : line) {
            value = static_cast<float>((static_cast<double>(value) - mean) / deviation);
        }
    }
    const auto has = [&](std::string_view name, std::size_t position) {
        const Value* const found = given.find(name, position);
        return found != nullptr && found->is(Value::Kind::tensor);
    };
    x = has("weight", 2) ? mul(x, given.tensor("weight", 2)) : x;
    return has("bias", 3) ? add(x, given.tensor("bias", 3)) : x;
}

Tensor spaced(const Given& given) {  // linspace
    const double from = given.number("start", 0, 0.0);
    const double to = given.number("end", 1, given.number("stop", 1000, 0.0));
    const double steps = given.number("steps", 2, given.number("num", 1000, 50.0));
    Tensor result(Shape{static_cast<std::size_t>(std::max(steps, 0.0))});
    for (std::size_t i = 0; i < result.count(); ++i) {
        const double part = result.count() > 1 ? static_cast<double>(i) / (steps - 1.0) : 0.0;
        result.values()[i] = static_cast<float>(from + (to - from) * part);
    }
    return result;
}

Tensor inner_product(const Tensor& a, const Tensor& b) {
    return matmul(a, b.rank() > 1 ? transpose(b, -2, -1) : b);
}

Tensor raised(const Tensor& a, const Tensor& b) {
    return zipped(a, b, [](float x, float y) { return std::pow(x, y); });
}

Tensor filled(const Given& given, float value) {
    const std::vector<std::int64_t> sizes = given.integers("size", 0);
    return full(shape_of(sizes.empty() ? given.integers("shape", 1000) : sizes, 0), value);
}

template <auto kernel>
Tensor each(const Given& given) {
    return kernel(given.tensor("input", 0));
}
template <typename Function>
auto each_line(Function function) {
    return [function](const Given& given) { return reduced(given, function); };
}
// Applies a function to two tensors.
template <typename Function>
auto each_pair(Function function) {
    return [function](const Given& given) {
        return function(given.tensor("input", 0), given.tensor("other", 1));
    };
}
template <typename Function>
auto each_number(Function function) {
    return [function](const Given& given) { return map(given.tensor("input", 0), function); };
}
Tensor itself(const Given& given) {
    return given.tensor("input", 0);
}

using Function = std::function<Tensor(const Given&)>;

const std::map<std::string_view, Function>& functions() {
    using Kernel = Tensor (*)(const Tensor&);
    static const std::map<std::string_view, Function> all{
        {"exp", each<static_cast<Kernel>(exp)>},
        {"abs", each<static_cast<Kernel>(abs)>},
        {"sqrt", each<static_cast<Kernel>(sqrt)>},
        {"sin", each<static_cast<Kernel>(sin)>},
        {"cos", each<static_cast<Kernel>(cos)>},
        {"neg", each_number([](float x) { return -x; })},
        {"log", each_number([](float x) { return std::log(x); })},
        {"log2", each_number([](float x) { return std::log2(x); })},
        {"exp2", each_number([](float x) { return std::exp2(x); })},
        {"tanh", each_number([](float x) { return std::tanh(x); })},
        {"relu", each_number([](float x) { return std::max(x, 0.0F); })},
        {"square", each_number([](float x) { return x * x; })},
        {"isnan", each_number([](float x) { return std::isnan(x) ? 1.0F : 0.0F; })},
        {"isfinite", each_number([](float x) { return std::isfinite(x) ? 1.0F : 0.0F; })},
        {"rsqrt", each_number([](float x) { return 1.0F / std::sqrt(x); })},
        {"reciprocal", each_number([](float x) { return 1.0F / x; })},
        {"floor", each_number([](float x) { return std::floor(x); })},
        {"ceil", each_number([](float x) { return std::ceil(x); })},
        {"isinf", each_number([](float x) { return std::isinf(x) ? 1.0F : 0.0F; })},
        {"nan_to_num",
         [](const Given& given) {
             const auto of_nan = static_cast<float>(given.number("nan", 1, 0.0));
             static constexpr float most = std::numeric_limits<float>::max();
             return map(given.tensor("input", 0),
                        [of_nan](float x) { return std::isnan(x) ? of_nan : std::clamp(x, -most, most); });
         }},
        {"cumsum", summed_up},
        {"flip", [](const Given& given) { return flipped(given, std::nullopt); }},
        {"flipud", [](const Given& given) { return flipped(given, 0); }},
        {"fliplr", [](const Given& given) { return flipped(given, 1); }},
        {"inner", each_pair(inner_product)},
        {"outer", each_pair([](const Tensor& a, const Tensor& b) {
             return mul(view(a, Shape{a.count(), 1}), view(b, Shape{1, b.count()}));
         })},
        {"maximum", each_pair([](const Tensor& a, const Tensor& b) {
             return zipped(a, b, [](float x, float y) { return std::max(x, y); });
         })},
        {"minimum", each_pair([](const Tensor& a, const Tensor& b) {
             return zipped(a, b, [](float x, float y) { return std::min(x, y); });
         })},
        {"tri",
         [](const Given& given) {
             const auto n = static_cast<std::size_t>(given.number("N", 0, 0.0));
             const auto m = static_cast<std::size_t>(given.number("M", 1, static_cast<double>(n)));
             return tril(ones(Shape{n, m}), given.integer("k", 2).value_or(0));
         }},
        {"logsumexp", each_line([](Line line) {
             const double most = static_cast<double>(std::ranges::max(line));
             double sum = 0.0;
             for (const float x : line) {
                 sum += std::exp(static_cast<double>(x) - most);
             }
             return most + std::log(sum);
         })},
        {"prod", each_line([](Line line) {
             return std::accumulate(line.begin(), line.end(), 1.0, std::multiplies<>());
         })},
        {"any", each_line([](Line line) {
             return std::ranges::any_of(line, [](float x) { return x != 0.0F; }) ? 1.0 : 0.0;
         })},
        {"argmin", each_line([](Line line) {
             return static_cast<double>(std::ranges::min_element(line) - line.begin());
         })},
        {"full_like",
         [](const Given& given) {
             return full(given.tensor("input", 0).shape(),
                         static_cast<float>(given.number("fill_value", 1, 0.0)));
         }},
        {"sigmoid", each_number([](float x) { return 1.0F / (1.0F + std::exp(-x)); })},
        {"bool", each_number([](float x) { return x != 0.0F ? 1.0F : 0.0F; })},
        {"logical_not", each_number([](float x) { return x == 0.0F ? 1.0F : 0.0F; })},
        {"int", each_number([](float x) { return std::trunc(x); })},
        {"long", each_number([](float x) { return std::trunc(x); })},
        {"round",
         [](const Given& given) {
             const double unit = std::pow(10.0, given.number("decimals", 1, 0.0));
             return map(given.tensor("input", 0), [unit](float x) {
                 return static_cast<float>(std::nearbyint(static_cast<double>(x) * unit) / unit);
             });
         }},
        {"transpose", transposed},
        {"permute", permuted},
        {"squeeze", squeezed},
        {"unsqueeze", unsqueezed},
        {"view",
         [](const Given& given) {
             const Tensor x = given.tensor("input", 0);
             return view(x, shape_of(given.integers("shape", 1), x.count()));
         }},
        {"flatten",
         [](const Given& given) {
             const Tensor x = given.tensor("input", 0);
             return x.rank() == 0 ? view(x, Shape{1})
                                  : split_axis(x, given.integer("start_dim", 1).value_or(0),
                                               given.integer("end_dim", 2).value_or(-1), {-1});
         }},
        {"unflatten",
         [](const Given& given) {
             const int dim = given.integer("dim", 1).value_or(0);
             return split_axis(given.tensor("input", 0), dim, dim, given.integers("sizes", 2));
         }},
        {"fill",
         [](const Given& given) {
             return full(given.tensor("input", 0).shape(), static_cast<float>(given.number("value", 1, 0.0)));
         }},
        {"zero", [](const Given& given) { return full(given.tensor("input", 0).shape(), 0.0F); }},
        {"assigned",
         [](const Given& given) { return expand(given.tensor("src", 1), given.tensor("input", 0).shape()); }},
        {"expand",
         [](const Given& given) {
             const Tensor x = given.tensor("input", 0);
             std::vector<std::int64_t> sizes = given.integers("size", 1);
             for (std::size_t i = 0; i < sizes.size(); ++i) {
                 const std::size_t from_end = sizes.size() - i;
                 if (sizes[i] < 0 && from_end <= x.rank()) {
                     sizes[i] = static_cast<std::int64_t>(x.shape()[x.rank() - from_end]);
                 }
             }
             return expand(x, shape_of(sizes, 0));
         }},
        {"repeat",
         [](const Given& given) {
             Tensor x = given.tensor("input", 0);
             std::vector<std::size_t> times;
             for (const std::int64_t one : given.integers("repeats", 1)) {
                 times.push_back(static_cast<std::size_t>(one));
             }
             std::vector<std::size_t> sizes(x.shape().begin(), x.shape().end());
             sizes.insert(sizes.begin(), times.size() - x.rank(), 1);
             return repeat(view(x, Shape(sizes)), times);
         }},
        {"repeat_interleave", interleaved},
        {"index_select", chosen_parts},
        {"linspace", spaced},
        {"layer_norm", normalised},
        {"expand_as",
         [](const Given& given) {
             return expand(given.tensor("input", 0), given.tensor("other", 1).shape());
         }},
        {"view_as",
         [](const Given& given) { return view(given.tensor("input", 0), given.tensor("other", 1).shape()); }},
        {"addmm",
         [](const Given& given) {
             return add(given.tensor("input", 0), matmul(given.tensor("mat1", 1), given.tensor("mat2", 2)));
         }},
        {"isclose", each_pair([](const Tensor& a, const Tensor& b) {
             return zipped(a, b, [](float x, float y) {
                 return std::abs(x - y) <= 1e-8F + 1e-5F * std::abs(y) ? 1.0F : 0.0F;
             });
         })},
        {"median", each_line([](Line line) {
             std::vector<float> sorted(line.begin(), line.end());
             std::ranges::sort(sorted);
             return static_cast<double>(sorted.at((sorted.size() - 1) / 2));  // the lower one, as in PyTorch
         })},
        {"sum",
         [](const Given& given) {
             const Reduction of = reduction(given);
             return sum(of.x, static_cast<int>(of.axis), of.keeps);
         }},
        {"mean", each_line([](Line line) { return total(line) / static_cast<double>(line.size()); })},
        {"nansum", each_line([](Line line) { return total(without_nan(line)); })},
        {"nanmean", each_line([](Line line) {
             const std::vector<float> kept = without_nan(line);
             return total(kept) / static_cast<double>(kept.size());
         })},
        {"count_nonzero", each_line([](Line line) {
             return static_cast<double>(line.size()) - static_cast<double>(std::ranges::count(line, 0.0F));
         })},
        {"trace",
         [](const Given& given) {
             const Tensor diagonal = picked_diagonal(given.tensor("input", 0));
             return Tensor(Shape{}, {static_cast<float>(total(diagonal.values()))});
         }},
        {"max", each_line([](Line line) { return static_cast<double>(std::ranges::max(line)); })},
        {"min", each_line([](Line line) { return static_cast<double>(std::ranges::min(line)); })},
        {"std", each_line([](Line line) {
             return std::sqrt(squares(line) / (static_cast<double>(line.size()) - 1.0));
         })},
        {"var",
         each_line([](Line line) { return squares(line) / (static_cast<double>(line.size()) - 1.0); })},
        {"norm", each_line([](Line line) {
             double sum = 0.0;
             for (const float x : line) {
                 sum += static_cast<double>(x) * static_cast<double>(x);
             }
             return std::sqrt(sum);
         })},
        {"all", each_line([](Line line) { return std::ranges::count(line, 0.0F) == 0 ? 1.0 : 0.0; })},
        {"argmax", each_line([](Line line) {
             return static_cast<double>(std::ranges::max_element(line) - line.begin());
         })},
        {"softmax", softmaxed},
        {"log_softmax",
         [](const Given& given) { return map(softmaxed(given), [](float x) { return std::log(x); }); }},
        {"matmul", each_pair([](const Tensor& a, const Tensor& b) { return matmul(a, b); })},
        {"linear",
         [](const Given& given) {
             const Tensor bias = given.find("bias", 2) != nullptr ? given.tensor("bias", 2) : Tensor();
             return linear(given.tensor("input", 0), given.tensor("weight", 1),
                           given.find("bias", 2) != nullptr ? &bias : nullptr);
         }},
        {"einsum", contracted},
        {"scaled_dot_product_attention", attention},
        {"pow",
         [](const Given& given) { return raised(given.tensor("input", 0), given.tensor("exponent", 1)); }},
        {"tril",
         [](const Given& given) {
             return tril(given.tensor("input", 0),
                         given.integer("diagonal", 1).value_or(given.integer("k", 1000).value_or(0)));
         }},
        {"triu",
         [](const Given& given) {
             return triu(given.tensor("input", 0),
                         given.integer("diagonal", 1).value_or(given.integer("k", 1000).value_or(0)));
         }},
        {"masked_fill",
         [](const Given& given) {
             const Tensor x = given.tensor("input", 0);
             const Tensor mask = given.tensor("mask", 1);
             return masked_fill(expand(x, joint_shape(x.shape(), mask.shape())), mask,
                                static_cast<float>(given.number("value", 2, 0.0)));
         }},
        {"where",
         [](const Given& given) {
             const Tensor condition = given.tensor("condition", 0);
             const Tensor a = given.tensor("input", 1);
             const Tensor b = given.tensor("other", 2);
             const Shape shape = joint_shape(joint_shape(condition.shape(), a.shape()), b.shape());
             const Tensor chosen = expand(condition, shape);
             Tensor result = expand(a, shape);
             const Tensor other = expand(b, shape);
             for (std::size_t i = 0; i < result.count(); ++i) {
                 result.values()[i] = chosen.values()[i] != 0.0F ? result.values()[i] : other.values()[i];
             }
             return result;
         }},
        {"diag", [](const Given& given) { return picked_diagonal(given.tensor("input", 0)); }},
        {"ones", [](const Given& given) { return filled(given, 1.0F); }},
        {"zeros", [](const Given& given) { return filled(given, 0.0F); }},
        {"full",
         [](const Given& given) {
             return full(shape_of(given.integers("size", 0), 0),
                         static_cast<float>(given.number("fill_value", 1, 0.0)));
         }},
        {"ones_like", [](const Given& given) { return ones(given.tensor("input", 0).shape()); }},
        {"zeros_like", [](const Given& given) { return full(given.tensor("input", 0).shape(), 0.0F); }},
        {"eye", [](const Given& given) { return eye(static_cast<std::size_t>(given.number("n", 0, 0.0))); }},
        {"arange", counted},
        {"stack", stacked},
        {"cat", joined},
        {"hstack",
         [](const Given& given) {
             const std::vector<Tensor> parts = parts_of(given);
             return cat(parts, parts.at(0).rank() > 1 ? 1 : 0);
         }},
        {"vstack",
         [](const Given& given) {
             const std::vector<Tensor> parts = parts_of(given);
             return parts.at(0).rank() > 1 ? cat(parts, 0) : stack(parts);
         }},
        {"clamp",
         [](const Given& given) {
             const auto least = static_cast<float>(given.number("min", 1, -HUGE_VAL));
             const auto most = static_cast<float>(given.number("max", 2, HUGE_VAL));
             return map(given.tensor("input", 0),
                        [least, most](float x) { return std::min(std::max(x, least), most); });
         }},
        {"new_tensor", [](const Given& given) { return nested(given.values.at(1), given); }},
        {"tensor",
         [](const Given& given) {
             const Value* const data = given.find("data", 0);
             return data != nullptr && data->is(Value::Kind::list) ? nested(*data, given) : itself(given);
         }},
    };
    return all;
}

}  // namespace

std::string_view usual_name(std::string_view name) {
    static const std::map<std::string_view, std::string_view> names{
        {"absolute", "abs"},       {"amax", "max"},
        {"amin", "min"},           {"mm", "matmul"},
        {"dot", "matmul"},         {"bmm", "matmul"},
        {"ger", "outer"},          {"reshape", "view"},
        {"concat", "cat"},         {"concatenate", "cat"},
        {"array", "tensor"},       {"asarray", "tensor"},
        {"as_tensor", "tensor"},   {"FloatTensor", "tensor"},
        {"LongTensor", "tensor"},  {"IntTensor", "tensor"},
        {"BoolTensor", "tensor"},  {"Tensor", "tensor"},
        {"empty", "zeros"},        {"empty_like", "zeros_like"},
        {"detach", "clone"},       {"contiguous", "clone"},
        {"float", "clone"},        {"double", "clone"},
        {"cpu", "clone"},          {"cuda", "clone"},
        {"numpy", "clone"},        {"to", "clone"},
        {"from_numpy", "clone"},   {"requires_grad_", "clone"},
        {"copy", "clone"},         {"astype", "clone"},
        {"type", "clone"},         {"ravel", "flatten"},
        {"swapaxes", "transpose"}, {"Parameter", "clone"},
        {"type_as", "clone"},      {"diagonal", "diag"},
        {"around", "round"},       {"DataFrame", "clone"},
        {"clamp_min", "clamp"},    {"broadcast_to", "expand"},
        {"baddbmm", "addmm"},      {"tile", "repeat"},
        {"reshape_as", "view_as"}, {"identity", "eye"},
        {"average", "mean"},       {"power", "pow"},
        {"negative", "neg"},       {"swapdims", "transpose"},
        {"T", "transpose"},        {"mT", "transpose"},
        {"t", "transpose"},        {"copy_", "assigned"},
        {"multiply", "mul"},       {"divide", "div"},
        {"true_divide", "div"},    {"subtract", "sub"},
    };
    auto found = names.find(name);
    if (found == names.end() && name.size() > 1 && name.ends_with('_')) {  // in place
        name.remove_suffix(1);
        found = names.find(name);
    }
    return found == names.end() ? name : found->second;
}

std::optional<Tensor> compute(std::string_view function, const Given& given) {
    function = usual_name(function);
    const auto found = functions().find(function);
    if (found != functions().end()) {
        return found->second(given);
    }
    static const std::map<std::string_view, std::string_view> operators{
        {"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"eq", "=="},
        {"ne", "!="}, {"gt", ">"},  {"lt", "<"},  {"ge", ">="}, {"le", "<="},
    };
    const auto sign = operators.find(function);
    return sign == operators.end()
               ? std::nullopt
               : compute_operator(sign->second, given.tensor("input", 0), given.tensor("other", 1));
}

std::optional<Tensor> compute_operator(std::string_view sign, const Tensor& a, const Tensor& b) {
    const auto compared = [&](auto test) {
        return zipped(a, b, [&](float x, float y) { return test(x, y) ? 1.0F : 0.0F; });
    };
    return sign == "+"    ? std::optional(add(a, b))
           : sign == "-"  ? std::optional(sub(a, b))
           : sign == "*"  ? std::optional(mul(a, b))
           : sign == "/"  ? std::optional(div(a, b))
           : sign == "@"  ? std::optional(matmul(a, b))
           : sign == "**" ? std::optional(raised(a, b))
           : sign == "==" ? std::optional(compared(std::equal_to<>()))
           : sign == "!=" ? std::optional(compared(std::not_equal_to<>()))
           : sign == "<"  ? std::optional(compared(std::less<>()))
           : sign == "<=" ? std::optional(compared(std::less_equal<>()))
           : sign == ">"  ? std::optional(compared(std::greater<>()))
           : sign == ">=" ? std::optional(compared(std::greater_equal<>()))
                          : std::nullopt;
}

Selected selected(const Shape& shape, const std::vector<IndexPart>& index) {
    Selected result{Shape{}, {0}};
    std::vector<std::size_t> sizes;
    std::size_t axis = 0;
    const auto used = static_cast<std::size_t>(std::ranges::count_if(index, [](const IndexPart& part) {
        return part.kind != IndexPart::Kind::rest && part.kind != IndexPart::Kind::new_axis;
    }));
    if (used > shape.rank()) {
        not_followed();
    }
    const Strides strides = strides_of(shape);
    const auto take = [&](const std::vector<std::size_t>& at, bool keeps) {
        std::vector<std::size_t> next;
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
        std::vector<std::size_t> at(size);
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
            std::vector<std::size_t> at;
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

Tensor nested(const Value& list, const Given& given) {
    if (!list.is(Value::Kind::list)) {
        return given.tensor_of(list);
    }
    std::vector<Tensor> parts;
    for (const Value& item : list.items) {
        if (item.is(Value::Kind::unknown)) {
            not_followed();
        }
        parts.push_back(nested(item, given));
    }
    return parts.empty() ? Tensor(Shape{0}) : stack(parts);
}

}  // namespace attn::flow
