// Functions that make tensors of given numbers, and those that keep a part of a matrix.
#include <algorithm>

#include "dataflow/functions.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"

namespace attn::flow {

namespace {

Tensor filled(const Given& given, float value) {
    const std::vector<std::int64_t> sizes = given.integers("size", 0);
    return full(sized(sizes.empty() ? given.integers("shape", by_keyword) : sizes, 0), value);
}

Tensor alike(const Given& given, double value) {
    return full(given.input().shape(), static_cast<float>(value));
}

Tensor counted(const Given& given) {  // arange
    const bool one = given.find("end", 1) == nullptr;
    const double from = one ? 0.0 : given.number("start", 0, 0.0);
    const double to = given.number("end", one ? 0 : 1, 0.0);
    const double step = given.number("step", 2, 1.0);
    constexpr std::size_t most = 1'000'000;
    std::vector<float> values;
    for (double x = from; (step > 0 ? x < to : step < 0 && x > to) && values.size() < most; x += step) {
        values.push_back(static_cast<float>(x));
    }
    const std::size_t count = values.size();
    return {Shape{count}, std::move(values)};
}

int diagonal_of(const Given& given) {
    return given.integer("diagonal", 1).value_or(given.integer("k", by_keyword).value_or(0));
}

Tensor diagonal(const Given& given) {
    const Tensor x = given.input();
    if (x.rank() != 2) {
        return diag(x);
    }
    Tensor result(Shape{std::min(x.size(0), x.size(1))});
    for (std::size_t i = 0; i < result.count(); ++i) {
        result.values()[i] = x.at({i, i});
    }
    return result;
}

}  // namespace

std::vector<Function> constants() {
    using enum Role;
    return {
        {"ones", constant, {}, [](const Given& given) { return filled(given, 1.0F); }},
        {"zeros", constant, {"empty"}, [](const Given& given) { return filled(given, 0.0F); }},
        {"full",
         constant,
         {},
         [](const Given& given) {
             return full(sized(given.integers("size", 0), 0),
                         static_cast<float>(given.number("fill_value", 1, 0.0)));
         }},
        {"ones_", step, {}, [](const Given& given) { return alike(given, 1.0); }},
        {"ones_like", constant, {}, [](const Given& given) { return alike(given, 1.0); }},
        {"zeros_like", constant, {"empty_like"}, [](const Given& given) { return alike(given, 0.0); }},
        {"full_like",
         constant,
         {},
         [](const Given& given) { return alike(given, given.number("fill_value", 1, 0.0)); }},
        {"fill",
         step,
         {"constant"},
         [](const Given& given) { return alike(given, given.number("value", 1, 0.0)); }},
        {"zero", step, {"zeros_"}, [](const Given& given) { return alike(given, 0.0); }},
        {"eye",
         step,
         {"identity"},
         [](const Given& given) { return diag(ones(Shape{given.count("n", 0)})); }},
        {"arange", constant, {}, counted},
        {"tril", plain, {}, [](const Given& given) { return tril(given.input(), diagonal_of(given)); }},
        {"triu", plain, {}, [](const Given& given) { return triu(given.input(), diagonal_of(given)); }},
        {"diag", plain, {"diagonal"}, diagonal},
    };
}

}  // namespace attn::flow
