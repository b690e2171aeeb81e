#include "diagnosis/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "diagnosis/likeness.hpp"

namespace attn {

namespace {

struct Measured {
    Nearest nearest;
    double total = 0.0;  // of the differences of finite numbers
};

std::size_t row_of(const Index& index, const Shape& shape) {
    return shape.rank() < 2 ? 0 : index[shape.rank() - 2];
}

Measured measured(const PastedTensor& pasted, const StageTrace& trace, const Node& step) {
    const Shape& shape = step.value.shape();
    Measured result{
        {trace.stage, trace.parameters, step.name, pasted.numbers.size(), 0, 0.0, {}, shape, 0.0, 0.0F, {}}};
    Nearest& nearest = result.nearest;
    std::set<std::size_t> rows;
    std::set<std::size_t> differing;
    for (std::size_t n = 0; n < pasted.numbers.size(); ++n) {
        const PastedNumber& number = pasted.numbers[n];
        const Index index = pasted.index_in(shape, n);
        const float x = step.value.at(index);
        rows.insert(row_of(index, shape));
        const double difference = std::abs(static_cast<double>(x) - number.value);
        if (std::isfinite(difference)) {
            nearest.largest_difference = std::max(nearest.largest_difference, difference);
            result.total += difference;
        }
        if (agrees(number, x, pasted.full_precision)) {
            ++nearest.numbers_agreeing;
            continue;
        }
        if (differing.empty()) {
            nearest.first = index;
            nearest.pasted = number.value;
            nearest.right = x;
        }
        differing.insert(row_of(index, shape));
    }
    if (shape.rank() >= 2) {
        std::ranges::set_difference(rows, differing, std::back_inserter(nearest.rows_agreeing));
    }
    return result;
}

}  // namespace

std::optional<Nearest> nearest(const PastedTensor& pasted, const std::string& as,
                               const std::vector<StageTrace>& rights) {
    std::optional<Measured> best;
    for (const StageTrace& right : rights) {
        for (const std::size_t id : right.steps) {
            const Node& step = right.node(id);
            if ((!as.empty() && step.name != as) || !pasted.fits(step.value.shape())) {
                continue;
            }
            Measured one = measured(pasted, right, step);
            // A step of the name it has comes before all others, then most numbers, then least difference.
            const auto rank = [&](const Measured& of) {
                return std::tuple(of.nearest.step != pasted.name,
                                  of.nearest.numbers - of.nearest.numbers_agreeing, of.total);
            };
            if (!best || rank(one) < rank(*best)) {
                best = std::move(one);
            }
        }
    }
    return best ? std::optional(best->nearest) : std::nullopt;
}

}  // namespace attn
