#include "watch/layer_walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "notebook/ops.hpp"
#include "stages/catalogue.hpp"
#include "stages/weight_names.hpp"
#include "tensor/layout.hpp"
#include "watch/recorded_masks.hpp"

namespace attn {

Tensor part_of_weight(const RecordedTensor& from, std::size_t rows_from, std::size_t rows_to, bool in_out) {
    const std::size_t out = rows_to - rows_from;
    if (from.shape.size() == 1) {
        return {Shape{out},
                {from.numbers.begin() + static_cast<std::ptrdiff_t>(rows_from),
                 from.numbers.begin() + static_cast<std::ptrdiff_t>(rows_to)}};
    }
    const std::size_t in = from.shape[in_out ? 0 : 1];
    Tensor weight(Shape{out, in});
    for (std::size_t row = 0; row < out; ++row) {
        for (std::size_t column = 0; column < in; ++column) {
            weight.values()[row * in + column] =
                from.numbers[in_out ? column * from.shape[1] + rows_from + row
                                    : (rows_from + row) * in + column];
        }
    }
    return weight;
}

LayerWalks::LayerWalks(const AttentionLayer& found, const Recording& recording, const Form& form)
    : is_halved(form.rotary == Pairing::halves), found_(&found), recording_(&recording), form_(form) {
    if (found.is_given) {
        join_given();
    } else if (found.is_joined() || recording.tensors[found.x].shape.size() == 1) {
        join_parts();
    } else {
        inputs_ = recording.tensors[found.x];
    }
    const RecordedTensor& x = inputs_;
    if (!x.has_numbers || x.shape.size() < 2 || x.shape.size() > 3) {
        throw DoesNotFit("the inputs were not recorded.");
    }
    n = x.shape[x.shape.size() == 3 && !form_.is_sequence_first ? 1 : 0];
    batch_ = x.shape.size() == 2 ? 1 : x.shape[form_.is_sequence_first ? 1 : 0];
    const auto take = [&](const std::string& name, const Projection& p, std::size_t from, std::size_t to) {
        const RecordedTensor& weight = recording.tensors[p.weight];
        if (!weight.has_numbers || (p.bias && !recording.tensors[*p.bias].has_numbers)) {
            throw DoesNotFit("the weights were not recorded.");
        }
        Tensor part = part_of_weight(weight, from, to, p.is_in_out);
        if (found.memory && name != "out_proj") {  // zeros for the features of the other inputs
            const std::size_t in = part.size(1);
            const Tensor zeros(Shape{part.size(0), inputs_.size(-1) - in});
            part = name == "W_query" ? cat({part, zeros}, 1) : cat({zeros, part}, 1);
        }
        weights_.emplace(name + ".weight", part);
        places.push_back({name + ".weight", p.weight, from, to, p.is_in_out});
        if (p.bias) {
            weights_.emplace(name + ".bias", part_of_weight(recording.tensors[*p.bias], from, to, false));
            places.push_back({name + ".bias", *p.bias, from, to, false});
        }
    };
    for (std::size_t r = 0; r < roles.size() && !found.is_simplified && !found.is_given; ++r) {
        const std::string name(weight_names[r]);
        if (found.by_role.contains('f')) {
            const Projection& fused = found.by_role.at('f');
            const std::size_t each = outputs_of(recording, fused) / 3;
            if (form.is_by_head) {
                take_by_head(name, fused, r);
                continue;
            }
            take(name, fused, r * each, (r + 1) * each);
        } else {
            const Projection& one = found.by_role.at(roles[r]);
            take(name, one, one.from, one.to > 0 ? one.to : outputs_of(recording, one));
        }
    }
    const auto has_bias = [&](std::string_view name) {
        return weights_.contains(fmt::format("{}.bias", name));
    };
    if (std::ranges::any_of(weight_names, has_bias)) {  // some models have none for the keys alone
        for (const std::string_view name : weight_names) {
            const std::size_t out = weights_.at(fmt::format("{}.weight", name)).size(0);
            weights_.try_emplace(fmt::format("{}.bias", name), Tensor(Shape{out}));
        }
    }
    const bool split = form.heads > 1 || found.out_proj || form.rotary != Pairing::none;
    const std::size_t d_out = found.is_simplified ? 0 : weights_.at("W_query.weight").size(0);
    if (split && found.out_proj) {
        take("out_proj", *found.out_proj, 0, d_out);
    } else if (split) {
        Tensor identity(Shape{d_out, d_out});
        for (std::size_t i = 0; i < d_out; ++i) {
            identity.values()[i * d_out + i] = 1.0F;
        }
        weights_.emplace("out_proj.weight", identity);
    }
    const bool grouped = form.kv_heads != form.heads || form.rotary != Pairing::none;
    stage = find_stage(found.is_simplified ? "simplified"
                       : grouped           ? "grouped-query"
                       : split             ? "multi-head"
                       : form_.is_masked   ? "causal"
                                           : "linear");
}

// Takes the rows of one role from a fused weight that has those of each head together.
void LayerWalks::take_by_head(const std::string& name, const Projection& fused, std::size_t role) {
    const auto rows_of = [&](std::size_t id) {
        const RecordedTensor& from = recording_->tensors[id];
        if (!from.has_numbers) {
            throw DoesNotFit("the weights were not recorded.");
        }
        const std::size_t out = from.shape[from.shape.size() > 1 && fused.is_in_out ? 1 : 0];
        const std::size_t d = out / 3 / form_.heads;
        std::vector<Tensor> rows;
        for (std::size_t head = 0; head < form_.heads; ++head) {
            const std::size_t first = (head * 3 + role) * d;
            rows.push_back(part_of_weight(from, first, first + d, fused.is_in_out));
        }
        return cat(rows, 0);
    };
    weights_.emplace(name + ".weight", rows_of(fused.weight));
    if (fused.bias) {
        weights_.emplace(name + ".bias", rows_of(*fused.bias));
    }
}

// Makes inputs of which queries, keys and values are thirds, so that weights of zeros and ones give them.
void LayerWalks::join_given() {
    const RecordedTensor* parts[3];
    for (std::size_t r = 0; r < 3; ++r) {
        parts[r] = &recording_->tensors[found_->by_role.at(roles[r]).result];
        if (!parts[r]->has_numbers) {
            throw DoesNotFit("queries, keys and values were not recorded.");
        }
    }
    const std::size_t d = parts[0]->size(-1);
    const std::size_t rows = parts[0]->numbers.size() / std::max<std::size_t>(d, 1);
    const std::size_t tokens = parts[0]->size(-2);
    inputs_.shape = {tokens == 0 ? 0 : rows / tokens, tokens, 3 * d};
    inputs_.has_numbers = true;
    for (std::size_t row = 0; row < rows; ++row) {
        for (const RecordedTensor* part : parts) {
            const auto from = part->numbers.begin() + static_cast<std::ptrdiff_t>(row * d);
            inputs_.numbers.insert(inputs_.numbers.end(), from, from + static_cast<std::ptrdiff_t>(d));
        }
    }
    for (std::size_t r = 0; r < 3; ++r) {
        Tensor weight(Shape{d, 3 * d});
        for (std::size_t i = 0; i < d; ++i) {
            weight.values()[i * 3 * d + r * d + i] = 1.0F;
        }
        weights_.emplace(std::string(weight_names[r]) + ".weight", weight);
    }
}

// Joins the inputs of earlier calls with those of this one. Cross-attention is attention on the inputs and
// the memory together, each with features of its own, if the mask shows only the memory. Further hidden
// tokens make the number of tokens differ from all other sizes.
void LayerWalks::join_parts() {
    std::vector<std::size_t> parts = found_->past;
    parts.push_back(found_->x);
    if (found_->memory) {
        parts.push_back(*found_->memory);
    }
    const auto shape_of = [&](std::size_t id) {  // batch, tokens, features
        std::vector<std::size_t> shape = recording_->tensors[id].shape;
        shape.insert(shape.begin(), shape.size() < 3 ? 3 - shape.size() : 0, 1);
        if (form_.is_sequence_first) {
            std::swap(shape[0], shape[1]);
        }
        return shape;
    };
    const std::size_t batch = shape_of(found_->x)[0], d_x = shape_of(found_->x)[2];
    const std::size_t d = d_x + (found_->memory ? shape_of(*found_->memory)[2] : 0);
    std::size_t tokens = 0;
    for (const std::size_t id : parts) {
        const std::vector<std::size_t> shape = shape_of(id);
        if (!recording_->tensors[id].has_numbers || shape.size() != 3 || shape[0] != batch ||
            (shape[2] != d_x && id != found_->memory)) {
            throw DoesNotFit("the inputs were not recorded.");
        }
        const std::pair range(tokens, tokens + shape[1]);
        queries_ = id == found_->x ? range : queries_;
        keys_ = {found_->memory ? tokens : 0, range.second};
        tokens = range.second;
    }
    std::set<std::size_t> sizes{d, batch, form_.heads, form_.kv_heads};
    for (const auto& [role, p] : found_->by_role) {
        const std::size_t out = recording_->tensors[p.result].size(-1);
        sizes.insert({out, out / form_.heads, out / form_.heads / 2});
    }
    do {
        ++tokens;
    } while (sizes.contains(tokens));
    inputs_.shape = {batch, tokens, d};
    inputs_.has_numbers = true;
    inputs_.numbers.resize(batch * tokens * d);
    std::size_t first = 0;
    for (const std::size_t id : parts) {
        const std::size_t width = shape_of(id)[2], count = shape_of(id)[1];
        for (std::size_t row = 0; row < batch * count; ++row) {
            const std::size_t item = form_.is_sequence_first ? row % batch : row / count;
            const std::size_t token = form_.is_sequence_first ? row / batch : row % count;
            const std::size_t to = (item * tokens + first + token) * d;
            std::copy_n(
                recording_->tensors[id].numbers.begin() + static_cast<std::ptrdiff_t>(row * width), width,
                inputs_.numbers.begin() + static_cast<std::ptrdiff_t>(to + (id == found_->memory ? d_x : 0)));
        }
        first += count;
    }
    form_.is_sequence_first = false;
    form_.hidden.clear();
    OwnScores own;
    for (std::size_t item = 0; item < batch; ++item) {
        for (std::size_t cell = 0; cell < tokens * tokens; ++cell) {
            const std::size_t key = cell % tokens, query = cell / tokens, count = keys_.second - keys_.first;
            const bool is_later = !found_->memory && form_.is_masked && key > query;
            const bool is_other = key < keys_.first || key >= keys_.second;
            const bool is_padding =
                form_.own && !is_other && form_.own->hidden[item * count + key - keys_.first] != 0.0F;
            own.hidden.push_back(is_later || is_other || is_padding ? 1.0F : 0.0F);
        }
    }
    form_.own = own;
    form_.is_masked = true;
}

// Returns the part of a walked tensor that code with joined inputs computes: rows of queries, columns of
// keys.
Tensor LayerWalks::of_reader(const Tensor& walked, unsigned weights) const {
    if (keys_.second == 0) {
        return walked;
    }
    Tensor part = walked;
    bool of_queries = (weights & bit_of('q')) != 0;
    for (std::size_t axis = 0; axis < walked.rank(); ++axis) {
        if (walked.size(static_cast<int>(axis)) == n) {
            const std::pair<std::size_t, std::size_t>& range = of_queries ? queries_ : keys_;
            part = slice(part, static_cast<int>(axis), static_cast<std::int64_t>(range.first),
                         static_cast<std::int64_t>(range.second));
            of_queries = false;
        }
    }
    return part;
}

namespace {

// Records numbers of the reader as a tensor of the walk.
Var part_of(Notebook& nb, const std::vector<float>& numbers, std::size_t from, const Shape& shape) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(from);
    return nb.given({shape, {first, first + static_cast<std::ptrdiff_t>(shape.count())}});
}

}  // namespace

bool LayerWalks::replace(std::size_t node, const std::vector<float>& numbers) {
    const std::size_t count = traces[0].node(node).value.count();
    if (found_->is_joined() || numbers.size() != batch_ * count) {
        return false;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const float walked = traces[i / count].node(node).value.values()[i % count];
        if (!(numbers[i] > least_score) && walked > least_score) {
            return false;
        }
    }
    if (form_.own && node == traces[0].node(softmax).call.inputs[0] && !form_.own->bias.empty()) {
        node = traces[0].node(node).call.inputs[0];  // these numbers include the bias
        form_.own->bias.clear();
    }
    while (walked_.contains(node)) {
        node = walked_.at(node);
    }
    own_[node - static_cast<std::size_t>(std::distance(walked_.begin(), walked_.lower_bound(node)))]
        .push_back(numbers);
    return true;
}

// Records the reader's numbers that replace a walked tensor.
Var LayerWalks::replaced(Var walked) {
    Notebook& nb = *walked.notebook;
    const auto own = own_.find(walked.id - walked_.size());
    const Shape shape = walked.value().shape();
    const std::size_t from = traces.size() * shape.count();
    const auto put = [&](const Tensor& value) {
        const Var next = nb.given(value);
        walked_[next.id] = walked.id;
        walked = next;
    };
    for (std::size_t i = 0; own != own_.end() && i < own->second.size(); ++i) {
        const auto first = own->second[i].begin() + static_cast<std::ptrdiff_t>(from);
        const Tensor all(shape, {first, first + static_cast<std::ptrdiff_t>(shape.count())});
        Tensor seen = all;
        for (std::size_t cell = 0; cell < shape.count(); ++cell) {
            const float before = walked.value().values()[cell];
            seen.values()[cell] = before > least_score ? all.values()[cell] : before;
        }
        put(all);
        if (!identical(seen, all)) {
            put(seen);
        }
    }
    return walked;
}

std::vector<std::size_t> LayerWalks::inputs_of(const Notebook& nb, std::size_t node) const {
    const auto walked = walked_.find(node);
    return walked == walked_.end() ? nb.nodes()[node].call.inputs : std::vector{walked->second};
}

void LayerWalks::walk_all(const std::vector<float>* dropped) {
    Parameters parameters = stage->defaults;
    parameters.batch = 1;
    parameters.dropout = 0.0;
    parameters.context_length = 0;
    parameters.num_heads = form_.heads;
    if (uses(*stage, "kv_heads")) {
        parameters.kv_heads = form_.kv_heads;
    }
    parameters.rotary = form_.rotary;
    if (form_.base > 0.0) {
        parameters.rotary_base = form_.base;
    }
    traces.clear();
    unmasked = zeroed = std::nullopt;
    prescaled.clear();
    const RecordedTensor& x = inputs_;
    const std::size_t d_in = x.size(-1);
    for (std::size_t item = 0; item < batch_; ++item) {
        Lesson lesson{.tokens = {}, .embeddings = Tensor(Shape{n, d_in}), .is_own = true};
        for (std::size_t token = 0; token < n; ++token) {
            lesson.tokens.push_back(std::to_string(token));
            const std::size_t row = form_.is_sequence_first ? token * batch_ + item : item * n + token;
            for (std::size_t i = 0; i < d_in; ++i) {
                lesson.embeddings.values()[token * d_in + i] = x.numbers[row * d_in + i];
            }
        }
        Inputs inputs{.focus = 0};
        if (!found_->is_simplified) {
            inputs.weights = [&](const Stage&) {
                StateDict own{std::make_shared<TensorFile>("recording", weights_)};
                own.num_heads = form_.heads;
                own.value_width = weights_.at("W_value.weight").size(0);
                return own;
            };
        }
        const auto change_of_form = [&, item](Notebook& nb, const Call& call) -> std::optional<Var> {
            if (call.operation == &masked_fill_op && !form_.is_masked) {
                return Var{&nb, call.inputs[0]};
            }
            const std::vector<float>& hidden = form_.own ? form_.own->hidden : form_.hidden;
            if (call.operation == &masked_fill_op && !hidden.empty()) {
                const std::size_t from = form_.own ? item * n * n : 0;
                return masked_fill({&nb, call.inputs[0]}, part_of(nb, hidden, from, Shape{n, n}),
                                   minus_infinity());
            }
            const std::size_t size = form_.heads * n * n;  // of the scores of all heads
            if (call.operation == &softmax_op && form_.own && !form_.own->bias.empty() &&
                nb.nodes()[call.inputs[0]].value.count() == size) {
                const Shape shape = form_.heads > 1 ? Shape{form_.heads, n, n} : Shape{n, n};
                return softmax_op(
                    {Var{&nb, call.inputs[0]} + part_of(nb, form_.own->bias, item * size, shape)},
                    {{"dim", -1}});
            }
            if (dropped != nullptr && call.operation == &matmul_op &&
                nb.nodes()[call.inputs[0]].call.operation == &softmax_op) {
                const Shape& shape = nb.nodes()[call.inputs[0]].value.shape();
                const auto from = dropped->begin() + static_cast<std::ptrdiff_t>(item * shape.count());
                const Var own = nb.given({shape, {from, from + static_cast<std::ptrdiff_t>(shape.count())}});
                dropped_.insert(own.id);
                return matmul_op(own, Var{&nb, call.inputs[1]});
            }
            return std::nullopt;
        };
        walked_.clear();
        const auto change = [this, change_of_form](Notebook& nb, const Call& call) {
            std::optional<Var> made = change_of_form(nb, call);
            if (!made && !own_.empty()) {
                std::vector<Var> inputs;
                for (const std::size_t input : call.inputs) {
                    inputs.push_back({&nb, input});
                }
                made = nb.record(*call.operation, inputs, call.attributes);
            }
            return made && !own_.empty() ? replaced(*made) : made;
        };
        traces.push_back(form_.is_masked && dropped == nullptr && form_.hidden.empty() && !form_.own &&
                                 own_.empty()
                             ? walk(*stage, lesson, parameters, inputs)
                             : walk_edited(*stage, lesson, parameters, inputs, {change}));
    }
    if (!traces.empty()) {
        collect(traces.front().parameters);
    }
}

// Records results of other code that is right, and collects all tensors that depend on the inputs.
void LayerWalks::collect(const Parameters& parameters) {
    first_detour = traces[0].notebook.nodes().size();
    Leading wanted;
    for (StageTrace& trace : traces) {  // their nodes are the same
        wanted = record_detours(trace);
    }
    gather(wanted, parameters);
}

// Records results of other code that is right. Returns the nodes to collect.
LayerWalks::Leading LayerWalks::record_detours(StageTrace& trace) {
    Notebook& nb = trace.notebook;
    const auto last = trace.find(found_->is_simplified ? "all_context_vecs" : "context_vec");
    if (!last) {
        throw DoesNotFit("the stage has no context vectors.");
    }
    output = *last;
    const auto leading_to = [&](std::vector<std::size_t> pending) {
        std::set<std::size_t> nodes;
        while (!pending.empty()) {
            const std::size_t id = pending.back();
            pending.pop_back();
            if (nodes.insert(id).second) {
                const std::vector<std::size_t> inputs = inputs_of(nb, id);
                pending.insert(pending.end(), inputs.begin(), inputs.end());
            }
        }
        return nodes;
    };
    for (const std::size_t id : leading_to({output})) {  // none if dropped weights were given
        softmax = nb.nodes()[id].call.operation == &softmax_op ? id : softmax;
    }
    Leading found{.main = leading_to({output, softmax}), .all = {}};
    context = output;
    for (const std::size_t id : found.main) {
        const Call& call = nb.nodes()[id].call;
        if (id > softmax && id < context && call.operation == &matmul_op) {
            context = id;
        }
    }
    found.all = found.main;
    if (const auto normalised = trace.find("masked_simple_norm"); normalised && form_.is_masked) {
        found.all.merge(leading_to({*normalised}));
    }
    const Var scaled_masked{&nb, nb.nodes()[softmax].call.inputs[0]};
    Var scores = scaled_masked;
    std::optional<Var> mask, bias;
    while (nb.nodes()[scores.id].call.operation != &matmul_op && !walked_.contains(scores.id)) {
        const Call& call = nb.nodes()[scores.id].call;
        if (call.operation == &masked_fill_op) {
            mask = Var{&nb, call.inputs[1]};
        } else if (call.operation == &add_op) {
            bias = Var{&nb, call.inputs[1]};
        }
        scores = {&nb, call.inputs.at(0)};
    }
    std::size_t product = scores.id;
    while (nb.nodes()[product].call.operation != &matmul_op) {
        product = inputs_of(nb, product).at(0);
    }
    const Var queries{&nb, nb.nodes()[product].call.inputs[0]};
    const Var keys{&nb, nb.nodes()[product].call.inputs[1]};
    const bool scales = scaled_masked.id != scores.id;
    const Number root = literal(std::sqrt(static_cast<double>(queries.value().size(-1))));
    Var scaled = scales ? scores / root : scores;
    scaled = bias ? scaled + *bias : scaled;
    if (scales) {
        prescaled = {(queries / root).id, (keys / root).id};
        queries / literal(std::pow(static_cast<double>(queries.value().size(-1)), 0.25));
        keys / literal(std::pow(static_cast<double>(queries.value().size(-1)), 0.25));
    }
    const auto parts_of_softmax = [&](Var x) {
        const Var e = exp(x);
        sum(e, -1, true);
        const Var most = amax(x, -1, true);
        const Var shifted = exp(x - most);
        sum(shifted, -1, true);
        return std::pair(e, shifted);
    };
    parts_of_softmax(scaled_masked);
    add_turns(trace);
    add_outputs_of_heads(trace);
    if (mask) {
        const Var weights = attn::softmax(scaled, -1);
        unmasked = weights.id;
        const Var seen = as_float(logical_not(*mask));
        const auto [e, shifted] = parts_of_softmax(scaled);
        for (const Var before_mask : {weights, e, shifted}) {
            const Var kept = before_mask * seen;
            zeroed = before_mask.id == weights.id ? kept.id : *zeroed;
            sum(kept, -1, true);
        }
    }
    for (std::size_t id = first_detour; id < nb.nodes().size(); ++id) {
        found.all.insert(id);
    }
    return found;
}

// Collects the tensors of these nodes that depend on the inputs.
void LayerWalks::gather(const Leading& wanted, const Parameters& parameters) {
    tensors.clear();
    std::set<std::size_t> moving;  // nodes that depend on the inputs
    const Nodes& nodes = traces[0].notebook.nodes();
    std::vector<unsigned> of_weights(nodes.size());
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        const Node& node = nodes[id];
        const auto weight = std::ranges::find(weight_names, node.name);
        of_weights[id] = weight == weight_names.end() ? 0U : 1U << unsigned(weight - weight_names.begin());
        of_weights[id] |= dropped_.contains(id) ? all_roles : 0U;
        const std::vector<std::size_t> inputs = inputs_of(traces[0].notebook, id);
        for (const std::size_t input : inputs) {
            of_weights[id] |= of_weights[input];
        }
        const bool source = node.name == "inputs" || node.name == "batch";
        if (source || std::ranges::any_of(inputs, [&](auto input) { return moving.contains(input); })) {
            moving.insert(id);
        }
        if (!moving.contains(id) || !wanted.all.contains(id) || node.value.count() < 2) {
            continue;
        }
        constexpr unsigned of_queries = bit_of('q');
        for (const bool is_new : {false, true}) {  // of all tokens, and of those that are not in the cache
            if (is_new && (found_->past.empty() || (of_weights[id] & of_queries) != 0)) {
                continue;
            }
            const unsigned rows = of_weights[id] | (is_new ? of_queries : 0U);
            WalkedTensor one{
                .node = id, .sizes = {}, .numbers = {}, .has_batch = batch_ > 1, .roles = of_weights[id]};
            if (batch_ > 1) {
                one.sizes.push_back(batch_);
            }
            const Shape& walked = node.value.shape();
            const Shape shape = of_reader(node.value, rows).shape();
            for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
                const std::size_t size = shape[axis];
                const std::size_t d = parameters.num_heads > 0 ? parameters.d_out / parameters.num_heads : 0;
                if (axis + 1 == shape.rank() && form_.heads > 1 && size > d && d > 0 && size % d == 0 &&
                    walked[axis] != n) {
                    one.sizes.push_back(size / d);
                    one.sizes.push_back(d);
                    one.tokens = 3;
                } else {
                    one.sizes.push_back(size);
                }
            }
            std::erase(one.sizes, std::size_t{1});
            for (const std::size_t from_end : {2U, 3U}) {
                const std::size_t axes = node.axes.size();
                one.tokens = axes > 3 && node.axes[axes - from_end] == "token" ? from_end : one.tokens;
            }
            one.is_square =
                walked.rank() > 1 && walked[walked.rank() - 1] == n && walked[walked.rank() - 2] == n;
            for (const StageTrace& trace : traces) {
                const Tensor value = of_reader(trace.node(id).value, rows);
                const auto numbers = value.values();
                one.numbers.insert(one.numbers.end(), numbers.begin(), numbers.end());
            }
            tensors.push_back(std::move(one));
        }
    }
    add_parts();
    std::stable_partition(tensors.begin(), tensors.end(),
                          [&](const WalkedTensor& one) { return wanted.main.contains(one.node); });
}

bool LayerWalks::overflows() const {
    return std::ranges::any_of(traces, [this](const StageTrace& trace) {
        return !std::ranges::all_of(trace.node(output).value.values(),
                                    [](float x) { return std::isfinite(x); });
    });
}

// Records the products of a rotation: of whole rows with cosines, of rows whose pairs are swapped with sines,
// and of the two numbers of each pair with both.
void LayerWalks::add_turns(StageTrace& trace) const {
    Notebook& nb = trace.notebook;
    const auto cos = trace.find("cos"), sin = trace.find("sin");
    for (const std::string_view name : {"queries_heads", "keys_heads"}) {
        const auto heads = trace.find(name);
        if (form_.rotary == Pairing::none || !cos || !sin || !heads) {
            continue;
        }
        const Var x{&nb, *heads}, c{&nb, *cos}, s{&nb, *sin};
        const std::size_t half = c.value().size(-1), d = 2 * half;
        Tensor first(Shape{d, half}), second(Shape{d, half}), both(Shape{half, d}), swap(Shape{d, d});
        for (std::size_t pair = 0; pair < half; ++pair) {
            const std::size_t a = form_.rotary == Pairing::halves ? pair : 2 * pair;
            const std::size_t b = form_.rotary == Pairing::halves ? half + pair : a + 1;
            first.values()[a * half + pair] = second.values()[b * half + pair] = 1.0F;
            both.values()[pair * d + a] = both.values()[pair * d + b] = 1.0F;
            swap.values()[b * d + a] = -1.0F;
            swap.values()[a * d + b] = 1.0F;
        }
        const Var spread = nb.given(both);
        x* matmul(c, spread);
        matmul(x, nb.given(swap)) * matmul(s, spread);
        for (const Tensor& part : {first, second}) {
            const Var one = matmul(x, nb.given(part));
            one* c;
            one* s;
        }
    }
}

// Records the output projection of each head by its own columns of the weight, as code adds them up.
void LayerWalks::add_outputs_of_heads(StageTrace& trace) const {
    Notebook& nb = trace.notebook;
    const auto heads = trace.find("context_heads"), weight = trace.find("W_out");
    if (!heads || !weight || !found_->out_proj) {
        return;
    }
    const Tensor& all = trace.node(*weight).value;
    const std::size_t d = trace.node(*heads).value.size(-1), out = all.size(0), in = all.size(1);
    Tensor parts(Shape{1, in / d, d, out});
    for (std::size_t i = 0; i < in * out; ++i) {
        parts.values()[i] = all.values()[i % out * in + i / out];
    }
    matmul({&nb, *heads}, nb.given(parts));
}

// Adds each head, and each sequence of the batch, because code may continue with one of them.
void LayerWalks::add_parts() {
    const auto add = [&](const WalkedTensor& whole, std::size_t axis, bool is_head) {
        const auto size = [&](std::size_t from, std::size_t to) {
            std::size_t product = 1;
            for (std::size_t i = from; i < to; ++i) {
                product *= whole.sizes[i];
            }
            return product;
        };
        const std::size_t outer = size(0, axis), inner = size(axis + 1, whole.sizes.size());
        WalkedTensor part = whole;
        part.has_batch = whole.has_batch && axis > 0;
        part.sizes.erase(part.sizes.begin() + static_cast<std::ptrdiff_t>(axis));
        for (std::size_t item = 0; item < whole.sizes[axis]; ++item) {
            part.head = is_head ? item : whole.head;
            part.numbers.clear();
            for (std::size_t i = 0; i < outer; ++i) {
                const auto from = whole.numbers.begin() +
                                  static_cast<std::ptrdiff_t>((i * whole.sizes[axis] + item) * inner);
                part.numbers.insert(part.numbers.end(), from, from + static_cast<std::ptrdiff_t>(inner));
            }
            tensors.push_back(part);
        }
    };
    for (std::size_t i = 0, count = tensors.size(); i < count && form_.heads > 1; ++i) {
        const WalkedTensor whole = tensors[i];
        const std::size_t batch = whole.has_batch ? 1 : 0;
        if (whole.sizes.size() == batch + 3) {  // heads before tokens, or the halves of a row
            add(whole, whole.sizes[batch] == form_.heads ? batch : batch + 1, true);
        }
    }
    for (std::size_t i = 0, count = tensors.size(); i < count && batch_ > 1; ++i) {
        if (tensors[i].has_batch) {
            add(WalkedTensor(tensors[i]), 0, false);
        }
    }
}

}  // namespace attn
