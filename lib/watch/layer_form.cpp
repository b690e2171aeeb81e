#include "watch/layer_form.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "text/lists.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns true if the layer's calls use a mask, or if its module has one that no call uses.
bool has_mask(const Recording& recording, const AttentionLayer& found) {
    std::vector<bool> reached = found.projected(recording);
    std::set<std::size_t> lengths;              // of rows of weights
    const auto is_mask = [&](std::size_t id) {  // or a part of a wrong one
        const RecordedTensor& mask = recording.tensors[id];
        const std::size_t rank = mask.shape.size();
        const bool square =
            rank > 1 && mask.shape[rank - 1] > 1 && mask.shape[rank - 1] == mask.shape[rank - 2];
        return square && !mask.numbers.empty() && mask.numbers[0] != mask.numbers[mask.size(-1) - 1] &&
               (may_be_causal_mask(mask) || hides_later_only(mask));
    };
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        const RecordedCall& call = recording.calls[i];
        const auto is_reached = [&](std::size_t id) { return reached[id]; };
        if (!call.reads(is_reached) && std::ranges::none_of(call.results, is_reached)) {
            continue;
        }
        const std::string_view kind = call.kind;
        const bool fused = is_sdpa(call);
        const std::size_t rank = call.results.empty() ? 0 : recording.tensors[call.results[0]].shape.size();
        if ((kind == "softmax" && rank > 0) || (kind == "exp" && rank == 1)) {
            lengths.insert(recording.tensors[call.results[0]].size(-1));
        }
        if (lengths.size() > 2) {
            return true;  // each token has weights for one key more
        }
        if (kind == "triangle" || kind == "masked_fill" ||
            (fused && (call.operands.size() > 3 || call.number("is_causal", 0.0) != 0.0))) {
            return true;
        }
        for (std::size_t id : call.operands) {
            // Constants lead back to the call that made a mask.
            for (int steps = 0; steps < 16 && !reached[id]; ++steps) {
                if (is_mask(id) || (recording.makers[id] && recording.maker(id)->kind == "triangle")) {
                    return true;
                }
                if (!recording.makers[id] || recording.maker(id)->operands.empty()) {
                    break;
                }
                id = recording.maker(id)->operands[0];
            }
        }
        for (const std::size_t id : call.results) {
            reached[id] = true;
        }
    }
    // Beside unused weights, an unused mask is that of another module, which did not run.
    const std::vector<bool> used = recording.used();
    bool has_unused = false, is_idle = is_module(recording.calls[found.first_call]);
    for (std::size_t id = 0; id < used.size(); ++id) {
        const RecordedTensor& tensor = recording.tensors[id];
        is_idle = is_idle || (!used[id] && tensor.is_parameter && role_of(tensor));
        has_unused = has_unused || (!used[id] && is_mask(id));
    }
    return has_unused && !is_idle;
}

// Returns the mask of the layer's scores that hides other tokens than all later ones. Empty if
// no mask does, or if it is not the same for all sequences.
std::vector<float> own_mask(const Recording& recording, const AttentionLayer& found) {
    std::vector<bool> reached = found.projected(recording);
    const auto is_reached = [&](std::size_t id) { return bool{reached[id]}; };
    const std::vector<std::size_t>& inputs = recording.tensors[found.x].shape;
    std::vector<float> own;
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        const RecordedCall& call = recording.calls[i];
        if (!call.reads(is_reached) && !is_module(call)) {
            continue;
        }
        for (const std::size_t id : call.results) {
            reached[id] = true;
        }
        for (const std::size_t id : call.operands) {
            const RecordedTensor& mask = recording.tensors[id];
            const std::size_t rank = mask.shape.size();
            const std::size_t n = rank > 1 ? mask.shape[rank - 1] : 0;
            if (reached[id] || found.is_input(id) || found.is_weight(id) || n < 3 ||
                mask.shape[rank - 2] != n || !contains(inputs, n) || !mask.has_numbers ||
                !may_be_causal_mask(mask)) {
                continue;
            }
            const std::vector<float>& all = mask.numbers;
            const auto hides = [&](std::size_t at) { return all[at] == all[n - 1]; };
            bool is_same = all[n - 1] != all[0], is_plain = true;
            for (std::size_t at = 0; at < all.size(); ++at) {
                is_same = is_same && all[at] == all[at % (n * n)];
                is_plain = is_plain && hides(at) == (at % n > at / n % n);
            }
            if (is_same && !is_plain) {
                own.clear();
                for (std::size_t at = 0; at < n * n; ++at) {
                    own.push_back(hides(at) ? 1.0F : 0.0F);
                }
            }
        }
    }
    return own;
}

// Returns the base of rotary angles for heads of this width; 0 if the tensor has no such angles.
double base_of(const RecordedTensor& angles, std::size_t width) {
    const std::size_t columns = angles.size(-1);
    if (!angles.has_numbers || (columns != width && 2 * columns != width) || width < 4) {
        return 0.0;
    }
    const auto last = angles.numbers.end() - static_cast<std::ptrdiff_t>(columns);
    const auto next = std::find_if(last, angles.numbers.end(), [&](float x) { return x != *last; });
    if (*last == 0.0F || next == angles.numbers.end() || *next == 0.0F) {
        return 0.0;
    }
    const double ratio = static_cast<double>(*last) / static_cast<double>(*next);
    const double base = std::pow(ratio, static_cast<double>(width) / 2.0);
    return base > 1.0 && base < 1e9 ? std::round(base) : 0.0;
}

// Returns the angles by which the second token is turned, if the tensor may have sines of rotary positions,
// made before the recording began.
std::optional<RecordedTensor> angles_of_sines(const RecordedTensor& sines) {
    const std::size_t columns = sines.shape.size() < 2 ? 0 : sines.size(-1);
    const auto is_zero = [](float x) { return x == 0.0F; };
    if (!sines.has_numbers || columns < 2 || sines.numbers.size() < 2 * columns ||
        !std::all_of(sines.numbers.begin(), sines.numbers.begin() + static_cast<std::ptrdiff_t>(columns),
                     is_zero) ||
        std::abs(sines.numbers[columns] - std::sin(1.0F)) > 1e-3F) {
        return std::nullopt;
    }
    RecordedTensor angles = sines;
    angles.numbers.resize(2 * columns);
    for (float& x : angles.numbers) {
        x = std::asin(x);
    }
    return angles;
}

// Returns the numbers of heads for which the code reads a fused projection head by head.
std::set<std::size_t> heads_apart(const Recording& recording, const AttentionLayer& found) {
    const Projection& fused = found.by_role.at('f');
    const std::size_t out = outputs_of(recording, fused);
    std::set<std::size_t> heads;
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        for (const std::size_t id : recording.calls[i].results) {
            const std::vector<std::size_t>& shape = recording.tensors[id].shape;
            const std::size_t rank = shape.size();
            if (recording.calls[i].kind != "layout" || rank < 2) {
                continue;
            }
            if (rank > 2 && shape[rank - 2] == 3 && shape[rank - 3] * 3 * shape[rank - 1] == out) {
                heads.insert(shape[rank - 3]);
            }
            if (shape[rank - 1] % 3 == 0 && shape[rank - 2] * shape[rank - 1] == out) {
                heads.insert(shape[rank - 2]);
            }
        }
    }
    return heads;
}

// Returns the sizes of the last two axes of what products other than projections multiply. One of them is the
// width of a head.
std::set<std::size_t> multiplied_widths(const Recording& recording, const AttentionLayer& found) {
    std::set<std::size_t> widths;
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        const RecordedCall& call = recording.calls[i];
        const auto is_weight = [&](std::size_t id) {
            return recording.tensors[id].is_parameter || found.is_weight(id);
        };
        if (!is_product(call) || call.reads(is_weight)) {
            continue;
        }
        for (const std::size_t id : call.operands) {
            const std::vector<std::size_t>& shape = recording.tensors[id].shape;
            const std::size_t axes = std::min<std::size_t>(shape.size(), 2);
            widths.insert(shape.end() - static_cast<std::ptrdiff_t>(axes), shape.end());
        }
    }
    return widths;
}

// Returns the bases of the angles by which the code may turn queries and keys; empty if it turns nothing.
std::set<double> rotary_bases(const Recording& recording, const AttentionLayer& found,
                              const std::set<std::size_t>& heads, std::size_t d_out) {
    std::set<double> bases{usual_rotary_base};
    for (const RecordedCall& call : recording.calls) {
        if (is_one_of(call.op, {"cos", "polar"}) && !call.operands.empty()) {
            for (const std::size_t head : heads) {
                bases.insert(base_of(recording.tensors[call.operands.back()], d_out / head));
            }
        }
    }
    bool has_table = false;
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        for (const std::size_t id :
             recording.calls[i].kind == "scale" ? recording.calls[i].operands : std::vector<std::size_t>()) {
            const auto angles = angles_of_sines(recording.tensors[id]);
            has_table = has_table || angles;
            if (angles) {
                for (const std::size_t head : heads) {
                    bases.insert(base_of(*angles, d_out / head));
                }
            }
        }
    }
    bases.erase(0.0);
    const bool rotates = has_table || std::ranges::any_of(recording.calls, [](const RecordedCall& call) {
                             return is_one_of(call.op, {"cos", "sin", "polar", "outer", "view_as_complex"});
                         });
    return rotates ? bases : std::set<double>();
}

}  // namespace

std::vector<std::vector<int>> Form::own_mask(std::size_t n) const {
    const std::vector<float>& all = own ? own->hidden : hidden;
    std::vector<std::vector<int>> rows;
    bool is_plain = true;
    for (std::size_t cell = 0; cell < all.size(); ++cell) {
        const bool is_later = (!own || own->is_causal) && cell % n > cell / n % n;
        const bool hides = all[cell] != 0.0F;
        is_plain = is_plain && hides == is_later;
        rows.resize(cell / n + 1);
        rows.back().push_back(hides ? 1 : 0);
    }
    return is_plain ? std::vector<std::vector<int>>() : rows;
}

std::vector<Form> forms(const Recording& recording, const AttentionLayer& found) {
    const auto width = [&](char role) { return width_of(recording, found, role); };
    Form form;
    form.is_masked = !found.is_simplified && has_mask(recording, found);
    if (found.memory) {
        form.own = own_padding(recording, found);
        const RecordedCall& whole = recording.calls[found.first_call];
        if ((form.is_masked || (is_module(whole) && whole.by_keyword.contains("attn_mask"))) && !form.own) {
            return {};  // which other keys such a mask hides is not followed
        }
        form.is_masked = false;
    }
    if (form.is_masked) {
        form.hidden = own_mask(recording, found);
    }
    if (found.is_simplified) {
        return {form};
    }
    std::set<std::size_t> heads{found.heads.value_or(1)};
    const RecordedTensor& x = recording.tensors[found.x];
    const std::size_t d_out = found.is_given ? x.size(-1) : width('q');
    if (d_out == 0) {
        return {};
    }
    for (std::size_t i = found.first_call; i < found.end && !found.heads && !found.is_given; ++i) {
        for (const std::size_t id : recording.calls[i].results) {
            const std::vector<std::size_t>& shape = recording.tensors[id].shape;
            for (const std::size_t size : shape) {
                const bool part = recording.calls[i].kind == "layout" && size == shape.back();
                if ((shape.size() > 2 || part) && size > 0 && size < d_out && d_out % size == 0) {
                    heads.insert(size);
                    heads.insert(d_out / size);
                }
            }
        }
    }
    const std::set<std::size_t> widths = multiplied_widths(recording, found);
    const auto is_multiplied = [&](std::size_t count) { return widths.contains(d_out / count); };
    if (!found.heads && std::ranges::any_of(heads, is_multiplied)) {
        std::erase_if(heads, [&](std::size_t count) { return !is_multiplied(count); });
    }
    std::vector<Form> all;
    if (found.is_given) {
        all.push_back(form);
    }
    const bool whole = is_module(recording.calls[found.first_call]);
    for (const bool first : {false, true}) {
        const bool is_possible = whole ? first == found.is_sequence_first
                                       : !first || (!found.memory && x.shape.size() == 3 && x.shape[0] > 1);
        if (found.is_given || !is_possible) {
            continue;
        }
        for (const std::size_t h : heads) {
            const std::size_t shared = width('k') * h / d_out;
            if (d_out % h == 0 && shared > 0 && h % shared == 0 && (h == 1 || width('k') == width('v'))) {
                form.heads = h;
                form.kv_heads = shared;
                form.is_sequence_first = first;
                all.push_back(form);
            }
        }
    }
    if (found.is_fused()) {
        const RecordedCall* const made = recording.maker(found.by_role.at('f').weight);
        const std::set<std::size_t> apart =
            made != nullptr && made->kind == "cat"  // of queries, keys, values
                ? std::set<std::size_t>()
                : heads_apart(recording, found);
        for (std::size_t i = 0, count = all.size(); i < count; ++i) {
            if (apart.contains(all[i].heads) && all[i].heads > 1) {
                all.push_back(all[i]);
                all.back().is_by_head = true;
            }
        }
    }
    for (Form& one : all) {
        if ((!one.is_sequence_first || whole) && !found.is_joined() && found.rows.empty() &&
            !found.is_given) {
            one.own = own_scores(recording, found, one.heads);
        }
        if (one.own && !found.memory) {
            one.is_masked = contains(one.own->hidden, 1.0F);
        }
    }
    const std::set<double> bases = rotary_bases(recording, found, heads, d_out);
    if (bases.empty()) {
        return all;
    }
    std::vector<Form> turned;
    for (const Form& one : all) {
        for (const Pairing pairing : {Pairing::halves, Pairing::neighbours}) {
            for (const double base : bases) {
                if (d_out / one.heads % 2 == 0) {
                    turned.push_back(one);
                    turned.back().rotary = pairing;
                    turned.back().base = base;
                }
            }
        }
    }
    turned.insert(turned.end(), all.begin(), all.end());  // code that turns nothing matches less of these
    return turned;
}

}  // namespace attn
