// Rules that find the call which gives a rotation wrong positions or angles.
#include <algorithm>
#include <cmath>

#include "watch/layer_judgement.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns true if a tensor has the walked angles, with so many columns: one for each pair, or for each
// feature.
bool are_right(const LayerMatch& layer, std::size_t angles, std::size_t columns) {
    const Tensor& right = layer.trace().node(*layer.trace().find("cos")).value;
    const std::size_t half = right.size(-1), n = right.size(-2);
    const RecordedTensor& own = layer.tensor(angles);
    if (!own.has_numbers || own.size(-1) != columns || own.numbers.size() < n * columns) {
        return false;
    }
    for (std::size_t at = 0; at < n * columns; ++at) {
        const std::size_t column = at % columns;
        const std::size_t pair = columns == half          ? column
                                 : layer.walks->is_halved ? column % half
                                                          : column / 2;
        const double own_cosine = std::cos(static_cast<double>(own.numbers[at]));
        if (!(std::abs(own_cosine - static_cast<double>(right.values()[at / columns * half + pair])) <
              1e-3)) {
            return false;
        }
    }
    return true;
}

// Returns the call that counts the positions of these angles wrongly; otherwise the call that makes the
// angles.
std::size_t maker_of_positions(const LayerMatch& layer, std::size_t angles, std::size_t n, std::size_t half) {
    std::size_t maker = angles;
    for (const std::size_t factor : layer.calls[angles].operands) {
        const RecordedTensor& positions = layer.tensor(factor);
        bool counts = positions.numbers.size() == n && n != half;
        for (std::size_t i = 0; i + 1 < positions.numbers.size() && counts; ++i) {
            counts = positions.numbers[i] <= positions.numbers[i + 1];
        }
        const bool is_wrong =
            counts && (positions.numbers[0] != 0.0F ||
                       positions.numbers.back() != static_cast<float>(n - 1) || positions.numbers[1] != 1.0F);
        for (std::size_t origin = factor; is_wrong && layer.made_at(origin);) {
            maker = *layer.made_at(origin);
            if (layer.calls[maker].kind != "layout" || layer.calls[maker].operands.empty()) {
                break;
            }
            origin = layer.calls[maker].operands[0];
        }
    }
    return maker;
}

// Returns the call that made wrong angles for a rotation.
OptionalIndex angles_of(const LayerMatch& layer, const RecordedCall& call) {
    const StageTrace& trace = layer.trace();
    const auto table = trace.find("cos");
    if (!table) {
        return std::nullopt;
    }
    const auto calls = layer.calls;
    const Tensor& right = trace.node(*table).value;
    const std::size_t half = right.size(-1), n = right.size(-2);
    for (const std::size_t operand : call.operands) {
        std::size_t id = operand;
        while (!layer.is_moving(id) && layer.made_at(id) && !layer.maker(id)->operands.empty() &&
               !is_one_of(layer.maker(id)->op, {"cos", "sin"}) &&
               is_one_of(layer.maker(id)->kind, {"layout", "cat", "repeat_interleave", "repeat"})) {
            id = layer.maker(id)->operands[0];
        }
        const auto turns = layer.is_moving(id) ? std::nullopt : layer.made_at(id);
        if (!turns || !is_one_of(calls[*turns].op, {"cos", "sin"})) {
            continue;
        }
        std::size_t angles = calls[*turns].operands[0];
        if (!layer.past.empty() || !layer.tensor(angles).has_numbers ||
            layer.tensor(angles).shape.size() < 2 || layer.tensor(angles).numbers.size() < n * half ||
            are_right(layer, angles, half) || are_right(layer, angles, 2 * half)) {
            continue;
        }
        auto maker = layer.made_at(angles);
        while (maker && !calls[*maker].operands.empty()) {
            const std::size_t before = calls[*maker].operands[0];
            if (are_right(layer, before, half) ||
                !is_one_of(calls[*maker].kind, {"layout", "cat", "repeat_interleave", "repeat", "stack"})) {
                break;
            }
            maker = layer.made_at(before);
        }
        return maker ? std::optional(maker_of_positions(layer, *maker, n, half)) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

OptionalIndex maker_of_wrong_angles(const LayerMatch& layer, const LayerJudgement& so_far) {
    OptionalIndex cause;
    for (std::size_t i = layer.first_call; i <= *so_far.departs && !layer.walks->has_replaced() && !cause;
         ++i) {
        const RecordedCall& call = layer.calls[i];
        const bool is_own = layer.flow[call.results.empty() ? layer.x : call.results[0]].roles != 0;
        cause = so_far.is_judged(layer, call) && is_own ? angles_of(layer, call) : std::nullopt;
    }
    return cause;
}

// Returns the call that made positions for the newest tokens that do not follow those of the cache. The
// angles of the first pair are the positions.
OptionalIndex maker_of_wrong_positions(const LayerMatch& layer, const LayerJudgement& so_far) {
    const auto calls = layer.calls;
    const std::vector<std::size_t>& x = layer.tensor(layer.x).shape;
    const std::size_t count = x.size() < 2 ? 1 : x[x.size() - 2];
    const auto table = layer.trace().find("cos");
    if (so_far.is_right || layer.past.empty() || !table || count >= layer.walks->n) {
        return std::nullopt;
    }
    std::size_t first = 0;
    for (const std::size_t id : layer.past) {
        first += layer.tensor(id).shape.size() < 2 ? 1 : layer.tensor(id).size(-2);
    }
    const std::size_t half = layer.trace().node(*table).value.size(-1);
    const auto is_wrong = [&](std::size_t id) {
        const RecordedTensor& own = layer.tensor(id);
        const std::size_t columns = own.numbers.size() / count;
        bool counts = own.has_numbers && own.numbers.size() == columns * count && columns > 0 &&
                      own.numbers[0] != static_cast<float>(first);
        for (std::size_t i = 0; i < count && counts; ++i) {
            counts = own.numbers[i * columns] == own.numbers[0] + static_cast<float>(i);
        }
        return counts;
    };
    for (std::size_t i = layer.first_call; i < layer.end; ++i) {
        const std::size_t size =
            calls[i].operands.empty() ? 0 : layer.tensor(calls[i].operands[0]).numbers.size();
        if (!layer.way.has[i] || calls[i].op != "cos" || (size != count * half && size != 2 * count * half) ||
            !is_wrong(calls[i].operands[0])) {
            continue;
        }
        OptionalIndex maker = i;
        for (bool goes_on = true; goes_on;) {
            const std::vector<std::size_t>& from = calls[*maker].operands;
            const auto positions = std::ranges::find_if(from, [&](std::size_t id) {
                return layer.made_at(id) && is_wrong(id) &&
                       layer.tensor(id).numbers[0] == layer.tensor(calls[i].operands[0]).numbers[0];
            });
            goes_on = positions != from.end();
            maker = goes_on ? layer.made_at(*positions) : maker;
        }
        return maker;
    }
    return std::nullopt;
}

// Finds a rotation of queries and keys that cancels in their products, because all tokens turn alike.
OptionalIndex rotation_without_effect(const LayerMatch& layer, const LayerJudgement& so_far) {
    if (!so_far.is_right || layer.trace().find("cos") || layer.walks->n < 2 || !layer.past.empty()) {
        return std::nullopt;
    }
    return earlier_call(layer, so_far, [&](const RecordedCall& call) {
        return layer.is_on_way(call) && call.kind == "scale" && layer.is_moving(call.results[0]) &&
               !layer.flow[call.results[0]].is_mixed &&
               call.reads([&](std::size_t id) { return layer.flow[id].is_turned && !layer.is_moving(id); });
    });
}

}  // namespace attn
