#include "watch/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "text/lists.hpp"
#include "watch/layer_finder.hpp"
#include "watch/layer_form.hpp"
#include "watch/layer_judgement.hpp"
#include "watch/layer_match.hpp"
#include "watch/layer_mistake.hpp"
#include "watch/layer_report.hpp"
#include "watch/layer_walks.hpp"
#include "watch/own_numbers.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

constexpr std::size_t most_own = 12;  // calls of another kind of attention in one layer

// Returns true if no call uses some other parameter with the role and shape of this one.
bool has_unused_like(const Recording& recording, std::size_t weight) {
    const RecordedTensor& like = recording.tensors[weight];
    const auto role = [](const RecordedTensor& tensor) {
        const auto found = role_of(tensor);
        return found ? found->role : ' ';
    };
    const std::vector<bool> used = recording.used();
    for (std::size_t id = 0; id < used.size(); ++id) {
        const RecordedTensor& other = recording.tensors[id];
        if (!used[id] && other.is_parameter && other.shape == like.shape && role(other) == role(like)) {
            return true;
        }
    }
    return false;
}

// Returns the projection that uses the weight of another role, if a weight of its own is left unused.
OptionalIndex used_again(const Recording& recording, const AttentionLayer& found) {
    for (const auto& [role, p] : found.by_role) {
        for (const auto& [other, earlier] : found.by_role) {
            if (earlier.weight == p.weight && earlier.call < p.call && p.to == 0 && p.is_used &&
                has_unused_like(recording, p.weight)) {
                return p.call;
            }
        }
    }
    return std::nullopt;
}

void depart(AlignedLayer& layer, std::size_t call) {
    layer.departs = call;
    layer.is_right = false;
    layer.calls.push_back({call, CallVerdict::departs, ""});
}

// Code that calls itself causal must have a mask.
void require_named_mask(const Recording& recording, AlignedLayer& layer) {
    if (!layer.is_right || layer.is_masked || recording.tensors[layer.inputs].shape.size() < 2) {
        return;
    }
    for (AlignedCall& aligned : layer.calls) {
        const RecordedCall& call = recording.calls[aligned.call];
        const bool fused = is_sdpa(call);
        if ((fused || call.kind == "softmax") && contains(call.module, "Causal")) {
            layer.departs = aligned.call;
            layer.is_right = false;
            layer.yours = "";
            layer.right = fused ? "is_causal=True" : "masked_fill(mask.bool(), -torch.inf)";
            aligned.verdict = CallVerdict::departs;
            return;
        }
    }
}

// Returns true if positions are added along the second axis of the inputs. PyTorch's module takes the first
// axis for the tokens.
bool is_batch_first(const Recording& recording, const AttentionLayer& found) {
    const std::vector<std::size_t>& shape = recording.tensors[found.x].shape;
    const auto is_of_positions = [&](std::size_t id) {
        const RecordedTensor& own = recording.tensors[id];
        id = recording.before(id, is_layout);
        if (recording.maker(id) != nullptr && recording.maker(id)->op == "embedding") {
            const auto* const places =
                recording.maker(recording.before(recording.maker(id)->operands[0], is_layout));
            return places != nullptr && places->op == "arange" && own.size(-2) == shape[1];
        }
        return recording.tensors[id].is_parameter && own.shape.size() > 1 &&
               own.size(-1) == recording.tensors[found.x].size(-1) &&
               own.numbers.size() == shape[1] * shape[2] && own.size(-2) == shape[1];
    };
    const auto is_alike = [&](std::size_t id) { return recording.tensors[id].shape == shape; };
    const bool has_batch = found.heads && shape.size() == 3 && shape[1] > 1;
    return has_batch && std::ranges::any_of(recording.behind({found.x}, is_alike), [&](std::size_t id) {
               const RecordedCall* const made = is_alike(id) ? recording.maker(id) : nullptr;
               return made != nullptr && made->kind == "add" && made->reads(is_of_positions);
           });
}

// If PyTorch adds the zeros and ones of a mask to the scores, because its type is not bool, says how to make
// it one.
void explain_added_mask(const RecordedCall& call, const Recording& recording, AlignedLayer& layer) {
    const auto given = call.by_keyword.find("attn_mask");
    const bool is_given = given != call.by_keyword.end() && (is_sdpa(call) || is_module(call));
    if (!is_given && (!is_sdpa(call) || call.operands.size() < 4)) {
        return;
    }
    const RecordedTensor& added = recording.tensors[is_given ? given->second : call.operands[3]];
    if (added.type != "bool" && is_of_zeros_and_ones(added) && contains(added.numbers, 1.0F)) {
        const bool sees_itself = added.numbers[0] != 0.0F;
        layer.yours = "attn_mask";
        layer.right = is_sdpa(call) == sees_itself ? "attn_mask.bool()" : "~attn_mask.bool()";
    }
}

// Single heads on the same inputs are joined along the last axis. Judges the call that joins them.
void judge_joined_heads(const Recording& recording, std::vector<AlignedLayer>& layers) {
    std::vector<std::size_t> heads;  // their outputs
    for (const AlignedLayer& layer : layers) {
        if (!layer.is_right || layer.inputs != layers[0].inputs || layer.calls.empty() ||
            layer.stage != layers[0].stage || layer.parameters.num_heads > 1) {
            return;
        }
        heads.push_back(recording.calls[layer.calls.back().call].results[0]);
    }
    const auto of = [&](std::size_t id) -> const RecordedTensor& { return recording.tensors[id]; };
    const auto has_heads = [&](const RecordedCall& call) { return call.operands == heads; };
    const auto join = std::ranges::find_if(recording.calls, has_heads);
    if (heads.size() < 2 || join == recording.calls.end() || !is_one_of(join->kind, {"cat", "stack"})) {
        return;
    }
    const std::size_t width = of(heads[0]).size(-1);
    const bool is_wide = of(join->results[0]).size(-1) == width * heads.size();
    std::set<std::vector<std::size_t>> own;  // the weights of each head
    for (AlignedLayer& layer : layers) {
        const std::vector<std::size_t> weights = mapped(layer.weights, &WeightPlace::tensor);
        if (weights.empty() || own.insert(weights).second) {
            continue;
        }
        // One head runs again in place of the next, or there is only one.
        const bool is_again = has_unused_like(recording, weights[0]);
        if (!is_again && !is_wide) {
            return;  // one module runs twice
        }
        const auto made = is_again ? std::nullopt : recording.makers[weights[0]];
        depart(layer, made.value_or(layer.first_call));
        const auto& callers = recording.calls[*layer.departs].callers;
        const auto by = std::ranges::find_if(callers, [&](const RecordedCall::Caller& caller) {
            return caller.function == (made ? "__init__" : "forward");
        });
        if (by != callers.end()) {
            layer.caller = static_cast<std::size_t>(by - callers.begin());
        }
        return;
    }
    std::size_t joined = join->results[0];
    for (auto next = join + 1; next != recording.calls.end(); ++next) {
        if (next->kind == "layout" && next->operands == std::vector{joined} &&
            of(next->results[0]).numbers.size() == of(joined).numbers.size()) {
            joined = next->results[0];
        }
    }
    if (join->op == "stack" && of(joined).size(-1) == width) {
        return;  // the heads have an axis of their own
    }
    std::vector<float> right;
    for (std::size_t row = 0; row < of(heads[0]).numbers.size() / width; ++row) {
        for (const std::size_t head : heads) {
            const auto from = of(head).numbers.begin() + static_cast<std::ptrdiff_t>(row * width);
            right.insert(right.end(), from, from + static_cast<std::ptrdiff_t>(width));
        }
    }
    if (of(joined).numbers != right || of(joined).size(-1) != width * heads.size()) {
        depart(layers.back(), static_cast<std::size_t>(join - recording.calls.begin()));
        layers.back().right_line = "context_vec = torch.cat(heads, dim=-1)";
    }
}

// The layer and its walks, and the judgement.
struct Comparison {
    LayerMatch match;
    LayerJudgement judged;

    Comparison(const Recording& recording, const AttentionLayer& found, const LayerWalks& walks)
        : match(recording, found, walks), judged(judge_layer(match)) {}
};

// Walks the layer, again with the reader's dropped weights if they are right, and compares.
Comparison compared(const Recording& recording, const AttentionLayer& found, LayerWalks& walks) {
    walks.walk_all();
    Comparison comparison(recording, found, walks);
    const auto dropped = comparison.match.dropped_weights();
    if (!dropped) {
        return comparison;
    }
    walks.walk_all(&*dropped);
    return {recording, found, walks};
}

// Walks on from the numbers of calls of another kind of attention, and returns these calls. If the rest then
// is right, or departs, the walks and their comparison are replaced.
std::vector<std::size_t> go_on(const Recording& recording, const AttentionLayer& found, LayerWalks& walks,
                               Comparison& comparison) {
    std::vector<std::size_t> calls[2];
    OptionalIndex departs[2];
    for (const bool at_softmax : {true, false}) {  // first without the stage's scaling, then with it
        if (comparison.judged.is_right || comparison.judged.other.calls.empty() ||
            replaces_scale(comparison.match, comparison.judged)) {
            break;
        }
        LayerWalks own_walks = walks;
        Comparison own = comparison;
        try {
            while (calls[at_softmax].size() < most_own && !own.judged.other.calls.empty()) {
                const auto numbers = own_numbers(own.match, own.judged, at_softmax);
                if (!numbers || !own_walks.replace(numbers->node, numbers->numbers)) {
                    break;
                }
                calls[at_softmax].push_back(own.judged.other.calls[0]);
                own = compared(recording, found, own_walks);
            }
        } catch (const Error&) {  // the stage does not fit these numbers
            continue;
        }
        // A product, or a triangle of scores, may belong to the other kind of attention, such as one without
        // softmax.
        const bool departs_here =
            !calls[at_softmax].empty() && own.judged.departs &&
            !is_one_of(recording.calls[*own.judged.departs].kind, {"matmul", "triangle"});
        departs[at_softmax] = departs_here ? own.judged.departs : std::nullopt;
        if ((own.judged.is_right && !calls[at_softmax].empty()) ||
            (!at_softmax && departs[0] && departs[0] == departs[1])) {
            walks = std::move(own_walks);
            comparison = Comparison(recording, found, walks);
            return calls[at_softmax];
        }
    }
    return {};
}

// Judges what is seen without a walk: names, inputs, weights and the axes of a module. Returns true if the
// layer departs there, or cannot be judged.
bool is_settled(const RecordedProjections& projections, const AttentionLayer& found, AlignedLayer& layer) {
    const Recording& recording = projections.recording();
    const auto of = [&](std::size_t id) -> const RecordedTensor& { return recording.tensors[id]; };
    const RecordedTensor& x = of(found.x);
    if (x.has_numbers && x.numbers.empty()) {
        return true;
    }
    if (const auto contradicts = contradiction(projections, found)) {
        const Projection p = projections.all()[*contradicts].value();
        depart(layer, *contradicts);
        layer.yours = std::string(of(p.weight).name());
        const auto right = found.by_role.find(role_of(of(projections.named_after(p)))->role);
        layer.right = right == found.by_role.end() ? "" : std::string(of(right->second.weight).name());
        return true;
    }
    // nn.MultiheadAttention(queries, memory, queries)
    if (const RecordedCall& whole = recording.calls[found.first_call]; is_module(whole)) {
        const auto given = [&](std::size_t at) { return recording.before(whole.operands[at], is_layout); };
        if (given(0) == given(2) && given(0) != given(1)) {
            depart(layer, found.first_call);
            layer.yours = of(given(2)).name();
            layer.right = layer.yours.empty() ? "" : of(given(1)).name();
            return true;
        }
        const bool adds_zeros = whole.arguments.size() > 2 && whole.arguments[2].second != 0.0;
        if (given(1) != given(2) || adds_zeros) {
            return true;  // positions are added to the keys alone, say, or a key of zeros to all
        }
    }
    const auto has_weight_of_output = [&](const auto& one) {
        return found.out_proj && found.out_proj->weight == one.second.weight;
    };
    const bool is_reused = std::ranges::any_of(found.by_role, has_weight_of_output) &&
                           has_unused_like(recording, found.out_proj->weight);
    const OptionalIndex again = found.stray ? found.stray : used_again(recording, found);
    if (again || is_reused) {
        depart(layer, again ? *again : found.out_proj->call);
        if (found.is_stray_given && !recording.calls[*layer.departs].callers.empty()) {
            layer.caller = 0;
        }
        layer.yours = found.stray ? of(projections.all()[*found.stray]->x).name() : "";
        layer.right = of(found.x).name();
        if (layer.yours.empty() || layer.right.empty() || layer.yours == layer.right) {
            layer.yours = layer.right = "";
        }
        return true;
    }
    const std::vector<bool> used = recording.used();
    for (const auto& [role, p] : found.by_role) {
        if (p.is_used && p.bias && !used[*p.bias]) {
            depart(layer, p.call);
            layer.right = of(*p.bias).name();
            return true;
        }
    }
    if (is_batch_first(recording, found)) {
        depart(layer, recording.makers[found.by_role.at('f').weight].value_or(found.first_call));
        layer.right = "batch_first=True";
        return true;
    }
    return layer.drops == found.first_call;
}

AlignedLayer aligned(const RecordedProjections& projections, AttentionLayer found) {
    const Recording& recording = projections.recording();
    const auto of = [&](std::size_t id) -> const RecordedTensor& { return recording.tensors[id]; };
    AlignedLayer layer;
    layer.name = found.name.empty() ? recording.calls[found.first_call].module : found.name;
    layer.first_call = found.first_call;
    layer.inputs = found.x;
    for (std::size_t i = found.first_call; i < found.end; ++i) {
        if (drops_weights(recording.calls[i])) {
            layer.drops = found.end = i;
        }
    }
    if (is_settled(projections, found, layer)) {
        return layer;
    }
    OptionalIndex most;
    bool turns = false;
    const std::vector<Form> all = forms(recording, found);
    layer.memory = all.empty() ? found.memory : std::nullopt;
    const auto try_form = [&](const Form& form, bool goes_on) {
        LayerWalks walks(found, recording, form);
        Comparison comparison = compared(recording, found, walks);
        const std::size_t count = comparison.match.right_calls();
        const std::vector<std::size_t> differs = goes_on && count == most
                                                     ? go_on(recording, found, walks, comparison)
                                                     : std::vector<std::size_t>();
        turns =
            turns || comparison.match.reaches("queries_turned") || comparison.match.reaches("keys_turned");
        if (goes_on ? differs.empty() : most && count <= *most && !comparison.judged.is_right) {
            return;
        }
        if (comparison.judged.departs && (walks.overflows() || walks.n == 1)) {
            return;  // a single token has the weight 1, whatever the code does
        }
        most = count;
        layer.calls.clear();
        const bool is_newest =  // one token, which has no later ones
            !found.past.empty() && (of(found.x).shape.size() == 1 || of(found.x).size(-2) == 1);
        layer.is_masked =
            (form.is_masked && !found.memory && (!form.own || form.own->is_causal)) || is_newest;
        layer.own_mask = found.memory ? std::vector<std::vector<int>>() : form.own_mask(walks.n);
        layer.has_bias = form.has_bias();
        layer.has_dropout = walks.has_dropped();
        layer.is_sequence_first = form.is_sequence_first;
        layer.rotary = form.rotary == Pairing::none
                           ? ""
                           : fmt::format("{}:{:.0f}",
                                         form.rotary == Pairing::halves ? "halves" : "neighbours", form.base);
        layer.yours = layer.right = layer.right_line = layer.right_step = "";
        report(comparison.match, comparison.judged, layer);
        if (!differs.empty()) {
            layer.differs = differs;
            layer.weights.clear();  // the stage alone gives other numbers
        }
    };
    for (const bool goes_on : {false, true}) {
        for (const Form& form : all) {
            if (layer.is_right || (goes_on && layer.departs) || (turns && form.rotary == Pairing::none)) {
                break;
            }
            if (form.own && form.own->growing) {
                layer.departs = form.own->growing;
                layer.calls.assign(1, {*layer.departs, CallVerdict::departs, ""});
                layer.yours = layer.right = layer.right_line = layer.right_step = "";
                return layer;
            }
            try {
                try_form(form, goes_on);
            } catch (const Error&) {  // the stage does not fit this form
            }
        }
    }
    layer.is_right = layer.is_right && !layer.drops;
    if (!layer.is_right) {
        const std::size_t at = layer.departs.value_or(found.first_call);
        explain_added_mask(recording.calls[at], recording, layer);
        if (!layer.departs && !layer.yours.empty()) {
            depart(layer, at);
        }
    }
    require_named_mask(recording, layer);
    layer.mistake = mistake_of(recording, layer);
    return layer;
}

}  // namespace

RecordedCall departing_call(const Recording& recording, const AlignedLayer& layer) {
    RecordedCall call = recording.calls[*layer.departs];
    if (const RecordedCall& whole = recording.calls[layer.first_call];
        is_module(whole) && call.line == whole.line && call.file == whole.file) {
        call.op = whole.op;  // the module's own calls are not the reader's
    }
    const auto below =
        std::ranges::find(call.keyword_lines, layer.keyword, &RecordedCall::KeywordLine::keyword);
    if (below != call.keyword_lines.end()) {
        call.text = below->text;
        call.line = below->line;
    }
    if (layer.caller) {
        const RecordedCall::Caller by = call.callers[*layer.caller];
        call.op = by.function == "__init__" ? call.module : by.function;
        call.file = by.file;
        call.text = by.text;
        call.line = by.line;
    }
    return call;
}

std::vector<AlignedLayer> align(const Recording& recording) {
    const RecordedProjections projections(recording);
    const RecordedProjections joined(recording, true);
    std::vector<AttentionLayer> right;  // on all tokens, although the code goes from token to token
    std::vector<AlignedLayer> all;
    for (const AttentionLayer& layer :
         joined.has_rows() ? find_layers(joined) : std::vector<AttentionLayer>()) {
        if (!layer.rows.empty() && !layer.is_simplified) {
            AlignedLayer whole = aligned(joined, layer);
            if (whole.is_right) {
                right.push_back(layer);
                all.push_back(std::move(whole));
            }
        }
    }
    for (const AttentionLayer& layer : find_layers(projections)) {
        const bool is_part = std::ranges::any_of(right, [&](const AttentionLayer& whole) {
            return whole_of(recording, layer.x) == whole.x && layer.x != whole.x &&
                   (layer.by_role.empty() ||
                    layer.by_role.begin()->second.weight == whole.by_role.begin()->second.weight);
        });
        if (!is_part) {
            all.push_back(aligned(projections, layer));
        }
    }
    std::ranges::sort(all, {}, &AlignedLayer::first_call);
    if (!all.empty()) {
        judge_joined_heads(recording, all);
    }
    return all;
}

}  // namespace attn
