#include "diagnosis/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace attn {

namespace {

struct Measured {
    Nearest nearest;
    double total = 0.0;  // of the differences of finite numbers
};

std::size_t row_of(const Index& index, const Shape& shape) {
    return shape.rank() < 2 ? 0 : index[shape.rank() - 2];
}

Measured measured(const PrintedTensor& pasted, const StageTrace& trace, const Node& step) {
    const Shape& shape = step.value.shape();
    Measured result{
        {trace.stage, trace.parameters, step.name, pasted.numbers.size(), 0, 0.0, {}, shape, 0.0, 0.0F, {}}};
    const Agreement agreement = attn::agreement(pasted, step.value);
    Nearest& nearest = result.nearest;
    nearest.numbers_agreeing = agreement.numbers_agreeing();
    nearest.largest_difference = agreement.largest_difference;
    result.total = agreement.total_difference;
    if (!agreement.agrees()) {
        const std::size_t first = agreement.disagreeing.front();
        nearest.first = pasted.index_in(shape, first);
        nearest.pasted = pasted.numbers[first].value;
        nearest.right = step.value.at(nearest.first);
    }
    std::set<std::size_t> rows;
    for (std::size_t n = 0; n < pasted.numbers.size(); ++n) {
        rows.insert(row_of(pasted.index_in(shape, n), shape));
    }
    std::set<std::size_t> differing;
    for (const std::size_t n : agreement.disagreeing) {
        differing.insert(row_of(pasted.index_in(shape, n), shape));
    }
    if (shape.rank() >= 2) {
        std::ranges::set_difference(rows, differing, std::back_inserter(nearest.rows_agreeing));
    }
    return result;
}

}  // namespace

std::optional<Nearest> nearest(const PrintedTensor& pasted, const std::string& as,
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
