// Functions of each number by itself, of two tensors that broadcast, and of a tensor and a mask.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "dataflow/functions.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/strided.hpp"
#include "tensor/trigonometry.hpp"

namespace attn::flow {

namespace {

using Kernel = Tensor (*)(const Tensor&);

template <Kernel kernel>
Tensor each(const Given& given) {
    return kernel(given.input());
}
auto each_number(float (*function)(float)) {
    return [function](const Given& given) { return map(given.input(), function); };
}
auto each_test(bool (*test)(float)) {
    return [test](const Given& given) {
        return map(given.input(), [test](float x) { return test(x) ? 1.0F : 0.0F; });
    };
}
// The numbers of two tensors that broadcast.
auto each_pair(float (*function)(float, float)) {
    return [function](const Given& given) {
        const Tensor a = given.input();
        const Tensor b = given.tensor("other", 1);
        const Shape shape = joint_shape(a.shape(), b.shape());
        Tensor x = expand(a, shape);
        const Tensor y = expand(b, shape);
        for (std::size_t i = 0; i < x.count(); ++i) {
            x.values()[i] = function(x.values()[i], y.values()[i]);
        }
        return x;
    };
}

// a + alpha b, or a − alpha b.
auto with_alpha(Tensor (*function)(const Tensor&, const Tensor&)) {
    return [function](const Given& given) {
        const Tensor b = given.tensor("other", 1);
        const auto alpha = static_cast<float>(given.number("alpha", by_keyword, 1.0));
        return function(given.input(), alpha == 1.0F ? b : map(b, [alpha](float x) { return alpha * x; }));
    };
}

template <typename Test>
Tensor compared(const Given& given) {
    return each_pair([](float x, float y) { return Test()(x, y) ? 1.0F : 0.0F; })(given);
}

Tensor with_numbers_for_nan(const Given& given) {
    const auto of_nan = static_cast<float>(given.number("nan", 1, 0.0));
    static constexpr float most = std::numeric_limits<float>::max();
    return map(given.input(),
               [of_nan](float x) { return std::isnan(x) ? of_nan : std::clamp(x, -most, most); });
}

Tensor rounded_to_decimals(const Given& given) {
    const double unit = std::pow(10.0, given.number("decimals", 1, 0.0));
    return map(given.input(), [unit](float x) {
        return static_cast<float>(std::nearbyint(static_cast<double>(x) * unit) / unit);
    });
}

Tensor clamped(const Given& given) {
    const auto least = static_cast<float>(given.number("min", 1, -HUGE_VAL));
    const auto most = static_cast<float>(given.number("max", 2, HUGE_VAL));
    return map(given.input(), [least, most](float x) { return std::min(std::max(x, least), most); });
}

Tensor filled_by_mask(const Given& given) {
    const Tensor x = given.input();
    const Tensor mask = given.tensor("mask", 1);
    return masked_fill(expand(x, joint_shape(x.shape(), mask.shape())), mask,
                       static_cast<float>(given.number("value", 2, 0.0)));
}

Tensor chosen_by_mask(const Given& given) {  // where
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
}

}  // namespace

std::vector<Function> elementwise_functions() {
    using enum Role;
    return {
        {"exp", plain, {}, each<exp>},
        {"abs", plain, {"absolute"}, each<abs>},
        {"sqrt", plain, {}, each<sqrt>},
        {"sin", step, {}, each<sin>},
        {"cos", step, {}, each<cos>},
        {"neg", plain, {"negative"}, each_number([](float x) { return -x; })},
        {"log", plain, {}, each_number([](float x) { return std::log(x); })},
        {"tanh", step, {}, each_number([](float x) { return std::tanh(x); })},
        {"relu", step, {}, each_number([](float x) { return std::max(x, 0.0F); })},
        {"square", plain, {}, each_number([](float x) { return x * x; })},
        {"rsqrt", step, {}, each_number([](float x) { return 1.0F / std::sqrt(x); })},
        {"floor", step, {}, each_number([](float x) { return std::floor(x); })},
        {"ceil", step, {}, each_number([](float x) { return std::ceil(x); })},
        {"sigmoid", step, {}, each_number([](float x) { return 1.0F / (1.0F + std::exp(-x)); })},
        {"int", plain, {"long"}, each_number([](float x) { return std::trunc(x); })},
        {"nan_to_num", step, {}, with_numbers_for_nan},
        {"round", plain, {"around"}, rounded_to_decimals},
        {"clamp", step, {"clamp_min"}, clamped},
        {"isnan", test, {}, each_test([](float x) { return std::isnan(x); })},
        {"isinf", test, {}, each_test([](float x) { return std::isinf(x); })},
        {"bool", test, {}, each_test([](float x) { return x != 0.0F; })},
        {"logical_not", test, {"~"}, each_test([](float x) { return x == 0.0F; })},
        {"add", plain, {"+"}, with_alpha(add)},
        {"sub", plain, {"-", "subtract"}, with_alpha(sub)},
        {"mul", plain, {"*", "multiply"}, both(mul)},
        {"div", plain, {"/", "divide", "true_divide"}, both(div)},
        {"pow", plain, {"**", "power"}, each_pair([](float x, float y) { return std::pow(x, y); })},
        {"maximum", plain, {}, each_pair([](float x, float y) { return std::max(x, y); })},
        {"minimum", plain, {}, each_pair([](float x, float y) { return std::min(x, y); })},
        {"eq", test, {"=="}, compared<std::equal_to<>>},
        {"ne", test, {"!="}, compared<std::not_equal_to<>>},
        {"lt", test, {"<"}, compared<std::less<>>},
        {"le", test, {"<="}, compared<std::less_equal<>>},
        {"gt", test, {">"}, compared<std::greater<>>},
        {"ge", test, {">="}, compared<std::greater_equal<>>},
        {"isclose", test, {}, each_pair([](float x, float y) {
             return std::abs(x - y) <= 1e-8F + 1e-5F * std::abs(y) ? 1.0F : 0.0F;
         })},
        {"masked_fill", step, {}, filled_by_mask},
        {"where", step, {}, chosen_by_mask},
    };
}

}  // namespace attn::flow
