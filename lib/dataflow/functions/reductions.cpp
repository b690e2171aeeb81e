// Functions of each line of numbers along an axis, or of all numbers.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "dataflow/functions.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/reduce.hpp"
#include "tensor/strided.hpp"

namespace attn::flow {

namespace {

// The argument of a reduction, with the axes that it reduces as one axis.
struct Reduction {
    Tensor x;
    std::size_t axis = 0;
    bool keeps = false;
};

Reduction reduction(const Given& given) {
    const Tensor x = given.input();
    const Value* const by_axis = given.find("axis", by_keyword);
    const Value* const dims = by_axis != nullptr ? by_axis : given.find("dim", 1);
    if (dims == nullptr || dims->is(Value::Kind::none)) {
        return {view(x, Shape{x.count()})};
    }
    const bool keeps = given.is_true("keepdim", 2) || given.is_true("keepdims", by_keyword);
    if (dims->is_number()) {
        return {x, x.shape().axis(int_of(*dims)), keeps};
    }
    Sizes reduced;
    for (const Value& dim : dims->items) {
        reduced.push_back(x.shape().axis(int_of(dim)));
    }
    Sizes axes;
    Sizes sizes;
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

auto each_line(double (*function)(Line)) {
    return [function](const Given& given) {
        const Reduction of = reduction(given);
        if (of.x.shape()[of.axis] == 0) {
            not_followed();
        }
        return along(of.x, of.axis, of.keeps,
                     [&](Line line, std::size_t) { return static_cast<float>(function(line)); });
    };
}

double total(Line line) {
    return std::accumulate(line.begin(), line.end(), 0.0);
}

double mean_of(Line line) {
    return total(line) / static_cast<double>(line.size());
}

double squares(Line line, double from) {
    return std::accumulate(line.begin(), line.end(), 0.0, [from](double sum, float x) {
        return sum + std::pow(static_cast<double>(x) - from, 2.0);
    });
}

double variance(Line line) {
    return squares(line, mean_of(line)) / (static_cast<double>(line.size()) - 1.0);
}

double log_of_sum(Line line) {
    const double most = static_cast<double>(std::ranges::max(line));
    double sum = 0.0;
    for (const float x : line) {
        sum += std::exp(static_cast<double>(x) - most);
    }
    return most + std::log(sum);
}

// (…, m, …) → (…, m, …): each number of a line becomes the sum of those up to it.
Tensor summed_up(const Given& given) {
    Tensor x = given.input();
    const std::optional<int> by_axis = given.integer("axis", by_keyword);
    const std::size_t axis = x.shape().axis(by_axis ? *by_axis : given.integer("dim", 1).value_or(0));
    const auto [outer, length, inner] = x.shape().around(axis);
    for (std::size_t i = inner; i < x.count(); ++i) {
        if (i / inner % length != 0) {
            x.values()[i] += x.values()[i - inner];
        }
    }
    return x;
}

// Each row minus its mean, divided by its standard deviation.
Tensor normalised(const Given& given) {  // layer_norm
    const double eps = given.number("eps", 4, 1e-5);
    Tensor x = given.input();
    const std::size_t width = x.size(-1);
    for (std::size_t row = 0; row * width < x.count(); ++row) {
        const std::span<float> line = x.values().subspan(row * width, width);
        const double mean = mean_of(line);
        const double deviation = std::sqrt(squares(line, mean) / static_cast<double>(width) + eps);
        for (float& value : line) {
            value = static_cast<float>((static_cast<double>(value) - mean) / deviation);
        }
    }
    x = given.has_tensor("weight", 2) ? mul(x, given.tensor("weight", 2)) : x;
    return given.has_tensor("bias", 3) ? add(x, given.tensor("bias", 3)) : x;
}

}  // namespace

std::vector<Function> reductions() {
    using enum Role;
    return {
        {"sum",
         plain,
         {},
         [](const Given& given) {
             const Reduction of = reduction(given);
             return sum(of.x, static_cast<int>(of.axis), of.keeps);
         }},
        {"mean", plain, {"average"}, each_line(mean_of)},
        {"logsumexp", plain, {}, each_line(log_of_sum)},
        {"max", plain, {"amax"}, each_line([](Line line) {
             return static_cast<double>(std::ranges::max(line));
         })},
        {"min", plain, {"amin"}, each_line([](Line line) {
             return static_cast<double>(std::ranges::min(line));
         })},
        {"argmax", plain, {}, each_line([](Line line) {
             return static_cast<double>(std::ranges::max_element(line) - line.begin());
         })},
        {"var", plain, {}, each_line(variance)},
        {"std", plain, {}, each_line([](Line line) { return std::sqrt(variance(line)); })},
        {"norm", plain, {}, each_line([](Line line) { return std::sqrt(squares(line, 0.0)); })},
        {"all", plain, {}, each_line([](Line line) {
             return std::ranges::count(line, 0.0F) == 0 ? 1.0 : 0.0;
         })},
        {"any", plain, {}, each_line([](Line line) {
             return std::ranges::any_of(line, [](float x) { return x != 0.0F; }) ? 1.0 : 0.0;
         })},
        {"cumsum", plain, {}, summed_up},
        {"layer_norm", step, {}, normalised},
    };
}

}  // namespace attn::flow
