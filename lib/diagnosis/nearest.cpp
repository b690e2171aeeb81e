#include "diagnosis/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tensor/threads.hpp"

namespace attn {

namespace {

struct Measured {
    Nearest nearest;
    double piece_bits = 0.0;
    double total = 0.0;  // the sum of the differences between finite numbers
};

Measured measured(const Pattern& pasted, const StageTrace& trace, const Node& step, const Piece& piece) {
    const std::vector<PrintedNumber>& numbers = pasted.printed().numbers;
    Measured result{.nearest = {.stage = trace.stage, .parameters = trace.parameters, .step = step.name},
                    .piece_bits = piece.bits};
    Nearest& nearest = result.nearest;
    nearest.numbers = numbers.size();
    nearest.shape = step.value.shape();
    nearest.piece = piece.index + (piece.exchanged ? ".T" : "");
    nearest.is_named = pasted.printed().name == step.name;
    const std::size_t rank = step.value.rank();
    std::set<std::size_t> rows;
    std::set<std::size_t> differing;
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        const float x = step.value.values()[piece.offsets[n]];
        Index index = step.value.index(piece.offsets[n]);
        if (piece.exchanged) {
            std::swap(index[rank - 2], index[rank - 1]);
        }
        const std::size_t row = rank < 2 ? 0 : index[rank - 2];
        rows.insert(row);
        const double difference = std::abs(static_cast<double>(x) - numbers[n].value);
        if (std::isfinite(difference)) {
            nearest.largest_difference = std::max(nearest.largest_difference, difference);
            result.total += difference;
        }
        const bool is_free =
            std::isfinite(numbers[n].value) && numbers[n].value != 0.0 && numbers[n].value != 1.0;
        nearest.free_numbers += is_free ? 1 : 0;
        if (pasted.agrees(n, x)) {
            ++nearest.numbers_agreeing;
            nearest.free_agreeing += is_free ? 1 : 0;
            continue;
        }
        if (differing.empty()) {
            nearest.first = index;
            nearest.pasted = numbers[n].value;
            nearest.right = x;
        }
        differing.insert(row);
    }
    if (rank >= 2) {
        std::ranges::set_difference(rows, differing, std::back_inserter(nearest.rows_agreeing));
    }
    return result;
}

}  // namespace

std::optional<Nearest> nearest(const Pattern& pasted, const std::string& as, const Walks& rights) {
    std::vector<RightStep> steps = steps_of(rights);
    std::erase_if(steps, [&](const RightStep& one) { return !as.empty() && one.node().name != as; });
    std::vector<std::optional<Measured>> measures(steps.size());
    parallel_for(steps.size(), num_threads(), [&](std::size_t i, std::size_t) {
        const Node& step = steps[i].node();
        if (const std::optional<Piece> piece = pasted.nearest_in(step.value)) {
            Measured one = measured(pasted, steps[i].walk->trace, step, *piece);
            // A piece of a step can be near by chance.
            const bool near =
                one.nearest.numbers_agreeing > std::max<std::size_t>(one.nearest.numbers / 2, 2);
            if (piece->kind == PieceKind::whole || near) {
                measures[i] = std::move(one);
            }
        }
    });
    // A step with the label's name wins. Otherwise the order is: most equal numbers, simplest piece, smallest
    // difference.
    const auto rank = [](const Measured& of) {
        return std::tuple(!of.nearest.is_named, of.nearest.numbers - of.nearest.numbers_agreeing,
                          of.piece_bits, of.total);
    };
    std::optional<Measured> best;
    for (std::optional<Measured>& one : measures) {
        if (one && (!best || rank(*one) < rank(*best))) {
            best = std::move(one);
        }
    }
    return best ? std::optional(best->nearest) : std::nullopt;
}

}  // namespace attn
