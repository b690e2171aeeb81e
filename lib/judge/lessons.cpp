#include "judge/lessons.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "diagnosis/right_walks.hpp"
#include "judge/code_names.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/weight_names.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

constexpr std::size_t most_chapters = 8;
constexpr std::size_t most_walk_numbers = 50'000'000;  // numbers of all walks: 200 MB

}  // namespace

std::vector<Parameters> Lessons::stated_parameters(const Stage& stage, std::size_t d_in) const {
    std::vector<Parameters> all;
    std::size_t batch = stage.defaults.batch;
    double dropout = 0.0;
    std::set<std::uint64_t> dropout_seeds;
    for (const Module& module : graph_.flow().modules) {
        for (const std::size_t input : module.inputs) {
            batch = nodes_[input].value.rank() == 3 ? nodes_[input].value.shape()[0] : batch;
        }
        dropout = module.type == "Dropout" && module.numbers.contains("p")
                      ? std::max(dropout, module.numbers.at("p"))
                      : dropout;
    }
    for (const Drawn& draw : graph_.flow().draws) {
        const bool is_mask = nodes_[draw.node].operation == "dropout-mask";
        constexpr std::size_t most = 3;  // seeds of dropout
        if (is_mask && draw.seed && draw.earlier == 0 && dropout_seeds.size() < most) {
            dropout_seeds.insert(*draw.seed);
        }
    }
    constexpr std::size_t most_settings = 64;  // more take memory and time, and nobody sets so many seeds
    for (const Drawn& draw : graph_.flow().draws) {
        const Computed& node = nodes_[draw.node];
        if (all.size() >= most_settings) {
            break;
        }
        if (!draw.seed || draw.earlier != 0 || node.value.rank() != 2 || node.operation == "Embedding" ||
            !is_draw(node.operation)) {
            continue;
        }
        const bool is_layer = node.operation == "Linear";
        const std::size_t d_out = node.value.shape()[is_layer ? 0 : 1];
        if (node.value.shape()[is_layer ? 1 : 0] != d_in) {
            continue;
        }
        Parameters parameters = stage.defaults;
        parameters.seed = *draw.seed;
        parameters.d_out = d_out;
        parameters.batch = uses(stage, "batch") ? batch : parameters.batch;
        parameters.dropout_seed = dropout_seeds.empty() ? parameters.dropout_seed : *dropout_seeds.begin();
        if (dropout > 0.0 && stage.defaults.dropout > 0.0) {
            parameters.dropout = dropout;
        }
        for (const CodeGraph::Owner& owner : graph_.owners(draw.node)) {
            const std::string& weight =
                *owner.attribute;  // "W_query.weight"; its layer may have "W_query.bias"
            if (weight.ends_with("weight") && uses(stage, "qkv_bias")) {
                parameters.qkv_bias =
                    owner.module->tensors.contains(weight.substr(0, weight.size() - 6) + "bias");
            }
            if (!owner.module->numbers.empty()) {
                apply(*owner.module, stage, parameters);
                for (const std::size_t heads : possible_heads(*owner.module, parameters.d_out)) {
                    all.push_back(parameters);
                    all.back().num_heads = heads;
                }
            }
        }
        Ids widths{d_out};
        if (constexpr std::size_t fused = 3; d_out % fused == 0) {
            widths.push_back(d_out / fused);  // one layer may have the queries, keys and values
        }
        for (const std::size_t width : widths) {
            parameters.d_out = width;
            all.push_back(parameters);
            for (const std::size_t heads : shown_heads(width)) {
                if (uses(stage, "num_heads")) {
                    all.push_back(parameters);
                    all.back().num_heads = heads;
                }
            }
        }
    }
    for (std::size_t i = 0, count = all.size(); i < count; ++i) {
        if (all[i].dropout == 0.0 || !uses(stage, "dropout")) {
            continue;
        }
        for (const std::uint64_t other : dropout_seeds) {
            all.push_back(all[i]);
            all.back().dropout_seed = other;
        }
        all.push_back(all[i]);  // eval() switches it off
        all.back().dropout = 0.0;
    }
    return all;
}

std::vector<Parameters> Lessons::parameters_of(const Stage& stage, std::size_t d_in) const {
    std::vector<Parameters> all;
    if (uses(stage, "seed") && uses(stage, "lesson")) {
        all = stated_parameters(stage, d_in);
    } else if (uses(stage, "seed")) {
        for (const Drawn& draw : graph_.flow().draws) {
            if (draw.seed && std::ranges::find(all, *draw.seed, &Parameters::seed) == all.end()) {
                all.push_back(stage.defaults);
                all.back().seed = *draw.seed;
            }
        }
    }
    if (!uses(stage, "seed") || !graph_.draws_weights()) {
        all = {stage.defaults};
    }
    for (const Candidate& asked : question_.candidates) {
        if (asked.stage == &stage && (all.empty() || !asked.given.empty())) {
            all.insert(all.begin(), asked.parameters);
        }
    }
    const bool shows_gradients = std::ranges::any_of(graph_.flow().shown, [](const Shown& one) {
        return one.source.substr(0, one.source.find('[')).ends_with("grad");
    });
    const bool is_mean = std::ranges::any_of(nodes_, [](const Computed& node) {
        return node.operation == "mean" && node.value.rank() == 0;  // of a loss
    });
    for (Parameters& parameters : all) {
        parameters.backward = parameters.backward || (shows_gradients && uses(stage, "backward"));
        parameters.loss = is_mean ? Loss::mean : parameters.loss;
    }
    return all;
}

void Lessons::find_chapters() {
    const Lesson built_in = built_in_lesson();
    std::vector<bool> is_product(nodes_.size());  // computed with products
    constexpr std::size_t most_tried = 500;       // each may read the whole graph
    std::size_t tried = 0;
    const auto is_input = [&](std::size_t id) { return ++tried <= most_tried && is_attended(id); };
    for (std::size_t id = 0; id < nodes_.size() && chapters_.size() < most_chapters; ++id) {
        const Computed& node = nodes_[id];
        is_product[id] =
            multiplies(node.operation) || node.operation == "softmax" ||
            std::ranges::any_of(node.operands, [&](std::size_t operand) { return is_product[operand]; });
        const bool is_literal =
            is_literal_node(node) ||
            (node.operation == "stack" && std::ranges::all_of(node.operands, [this](std::size_t operand) {
                 return is_literal_node(nodes_[operand]);
             }));
        if (!node.is_known || is_product[id] || node.value.count() <= 3) {
            continue;
        }
        if (node.value.rank() == 3 && node.value.shape()[1] > 1 && !is_constant(node.operation) &&
            is_input(id) && !mixed_inputs(id)) {
            add_batch(id);
        }
        const bool is_drawn = is_draw(node.operation) || node.operation == "embedding";
        const bool is_part = !node.operands.empty() && !graph_.is_harmless(id);
        if (node.value.rank() != 2 || node.value.shape()[0] < 2 || has_chapter(node.value) ||
            (!is_literal && !((is_drawn || is_part) && is_input(id)))) {
            continue;
        }
        const bool is_same_shape = node.value.shape() == built_in.embeddings.shape();
        std::size_t equal = 0;
        for (std::size_t i = 0; is_same_shape && i < node.value.count(); ++i) {
            equal += node.value.values()[i] == built_in.embeddings.values()[i] ? 1 : 0;
        }
        if (is_same_shape && equal + (is_literal ? 1 : 0) >= node.value.count()) {
            chapters_.push_back({built_in, id, equal < node.value.count(), true});
        } else if (is_part || is_lesson(id)) {
            chapters_.push_back({own_lesson(node.value), id});
        }
    }
    if (chapters_.empty()) {
        chapters_.push_back({question_.lesson, std::nullopt, false, true});
    }
    for (Chapter& chapter : chapters_) {
        walk_chapter(chapter);
    }
}

bool Lessons::has_chapter(const Tensor& embeddings) const {
    return std::ranges::any_of(
        chapters_, [&](const Chapter& one) { return identical(one.lesson.embeddings, embeddings); });
}

bool Lessons::is_stated(const Computed& node) const {
    const auto states = [&](const StageTrace& walk) {
        return !uses(*walk.stage, "lesson") && std::ranges::any_of(walk.steps, [&](std::size_t step) {
            return identical(walk.node(step).value, node.value);
        });
    };
    return is_literal_node(node) && std::ranges::any_of(chapters_.front().walks, states);
}

std::optional<std::size_t> Lessons::mixed_inputs(std::size_t id) const {
    const Shape& shape = nodes_[id].value.shape();
    if (nodes_[id].operation != "view" || shape.rank() != 3 ||
        nodes_[nodes_[id].operands[0]].value.rank() != 2) {
        return std::nullopt;
    }
    std::size_t source = id;
    while (is_move(nodes_[source].operation) && nodes_[source].operands.size() == 1) {
        source = nodes_[source].operands[0];
    }
    const auto rows_of = [](std::span<const float> numbers, std::size_t width) {
        std::multiset<std::vector<float>> rows;
        for (std::size_t at = 0; at + width <= numbers.size(); at += width) {
            rows.emplace(numbers.begin() + std::ptrdiff_t(at), numbers.begin() + std::ptrdiff_t(at + width));
        }
        return rows;
    };
    const Tensor& inputs = nodes_[source].value;
    const bool is_chapter =
        std::ranges::any_of(chapters_, [&](const Chapter& one) { return one.node == source; });
    if (!is_chapter || inputs.shape() != Shape{shape[1], shape[2]}) {
        return std::nullopt;
    }
    const auto rows = rows_of(inputs.values(), shape[2]);
    for (std::size_t i = 0; i < shape[0]; ++i) {
        if (rows_of(nodes_[id].value.values().subspan(i * inputs.count(), inputs.count()), shape[2]) !=
            rows) {
            return source;
        }
    }
    return std::nullopt;
}

void Lessons::add_batch(std::size_t id) {
    const Tensor& batch = nodes_[id].value;
    for (std::size_t i = 0; i < batch.shape()[0] && chapters_.size() < most_chapters; ++i) {
        const Tensor sequence = select(batch, {i});
        const bool is_documents = identical(sequence, built_in_lesson().embeddings);
        if (!has_chapter(sequence)) {
            chapters_.push_back(
                {is_documents ? built_in_lesson() : own_lesson(sequence), id, false, is_documents});
        }
    }
}

bool Lessons::is_literal_node(const Computed& node) {
    return node.operands.empty() && !is_draw(node.operation) && !is_constant(node.operation);
}

Lesson Lessons::own_lesson(const Tensor& embeddings) {
    Lesson lesson{.tokens = {}, .embeddings = embeddings, .is_own = true};
    for (std::size_t i = 0; i < embeddings.shape()[0]; ++i) {
        lesson.tokens.push_back("token" + std::to_string(i + 1));
    }
    return lesson;
}

bool Lessons::is_attended(std::size_t id) const {
    const auto has_weights = [](const Computed& node) {
        return node.operation == "softmax" || node.operation == "exp" ||
               node.operation.starts_with("scaled_dot");
    };
    if (std::none_of(nodes_.begin() + std::ptrdiff_t(id), nodes_.end(), has_weights)) {
        return false;
    }
    const std::vector<bool> depends = graph_.dependents(id);
    const auto is_product = [&](const Computed& node) {
        return (multiplies(node.operation) || node.operation == "scaled_dot_product_attention") &&
               node.operands.size() > 1 && depends[node.operands[0]] && depends[node.operands[1]];
    };
    std::vector<bool> is_score(nodes_.size());  // a product, or computed from one
    for (std::size_t n = id; n < is_score.size(); ++n) {
        if (!depends[n]) {
            continue;
        }
        const Computed& node = nodes_[n];
        is_score[n] = is_product(node) || std::ranges::any_of(node.operands, [&](std::size_t operand) {
                          return is_score[operand];
                      });
        if (is_score[n] && has_weights(node)) {
            return true;
        }
    }
    return false;
}

bool Lessons::is_lesson(std::size_t id) const {
    std::set<std::size_t> forms{id};  // the matrix, also transposed, selected, …
    for (Ids open{id}; !open.empty();) {
        const std::size_t next = open.back();
        open.pop_back();
        for (const std::size_t user : graph_.users(next)) {
            if (is_move(nodes_[user].operation) && forms.insert(user).second) {
                open.push_back(user);
            }
        }
    }
    const auto is_weight = [&](std::size_t node) {
        const bool is_itself =
            nodes_[node].value.rank() > 1 && identical(nodes_[node].value, nodes_[id].value);
        return (forms.contains(node) && !is_itself) || graph_.is_drawn(node) ||
               nodes_[node].operation == "printed";
    };
    return nodes_[id].value.shape()[0] > 1 && std::ranges::any_of(forms, [&](std::size_t form) {
               return std::ranges::any_of(graph_.users(form), [&](std::size_t user) {
                   const Computed& node = nodes_[user];
                   return multiplies(node.operation) && node.operands.size() > 1 &&
                          node.operands[0] == form &&
                          (node.operation == "einsum" || is_weight(node.operands[1]));
               });
           });
}

std::set<std::size_t> Lessons::shown_heads(std::size_t d_out) const {
    const auto [known, is_new] = shown_heads_.try_emplace(d_out);
    std::set<std::size_t>& heads = known->second;
    if (!is_new) {
        return heads;
    }
    for (const Computed& node : nodes_) {
        const Shape& to = node.value.shape();
        const std::size_t rank = to.rank();
        if ((node.operation == "view" || node.operation == "unflatten") && rank > 2 && to[rank - 2] > 1 &&
            to[rank - 2] * to[rank - 1] == d_out) {
            heads.insert(to[rank - 2]);
        }
    }
    return heads;
}

std::set<std::size_t> Lessons::possible_heads(const Module& module, std::size_t d_out) {
    std::set<std::size_t> heads;
    for (const auto& [name, node] : module.tensors) {  // "heads.2.W_query.weight"
        const std::size_t digit = name.find_first_of("123456789");
        if (digit != std::string::npos && digit > 0 && name[digit - 1] == '.' &&
            name.substr(digit + 1, 1) == ".") {
            heads.insert(static_cast<std::size_t>(name[digit] - '0') + 1);
        }
    }
    if (!heads.empty()) {
        return {*heads.rbegin()};
    }
    for (const auto& [name, number] : module.numbers) {
        if (name == "num_heads" || name == "n_heads") {
            return {};
        }
        const auto one = static_cast<std::size_t>(std::max(number, 0.0));
        if (name.find('.') == std::string::npos && one > 1 && one <= d_out && d_out % one == 0) {
            heads.insert(one);
        }
    }
    return heads;
}

void Lessons::apply(const Module& module, const Stage& stage, Parameters& parameters) {
    const auto number = [&](std::string_view name) -> std::optional<double> {
        const auto found = module.numbers.find(std::string(name));
        return found == module.numbers.end() ? std::nullopt : std::optional(found->second);
    };
    const auto heads = number("num_heads") ? number("num_heads") : number("n_heads");
    if (heads && uses(stage, "num_heads")) {
        parameters.num_heads = static_cast<std::size_t>(*heads);
    }
    if (const auto dropout = number("dropout");
        dropout && stage.defaults.dropout == 0.0 && uses(stage, "dropout")) {
        parameters.dropout = *dropout;
    }
    if (const auto length = number("context_length"); length && uses(stage, "context_length")) {
        parameters.context_length = static_cast<std::size_t>(*length);
    }
}

void Lessons::walk_chapter(Chapter& chapter) {
    const auto add = [&](const Stage& stage, const Parameters& parameters, const WeightSource& weights) {
        constexpr std::size_t large = 8;  // about how many tensors of a walk are as large as its largest
        try {
            const TensorLimit limit((most_walk_numbers - kept_) / large);
            StageTrace walked = walk(stage, chapter.lesson, parameters,
                                     {question_.inputs.focus, weights, nullptr, nullptr, true});
            kept_ += std::min(effort(walked), most_walk_numbers - kept_);
            chapter.walks.push_back(std::move(walked));
            chapter.weights.push_back(weights);
        } catch (const Error&) {
            return;  // a stage that these settings do not fit, or a walk that memory does not suffice for
        }
    };
    // Stages of other tensors than the inputs: those of document 002 have two heads.
    const bool states_heads = std::ranges::any_of(
        nodes_, [](const Computed& node) { return is_literal_node(node) && node.value.rank() > 3; });
    for (const Stage* const stage : catalogue()) {
        const auto is_asked = [&](const Candidate& one) { return one.stage == stage; };
        const bool is_of_inputs = uses(*stage, "lesson");
        if (std::ranges::none_of(question_.candidates, is_asked) &&
            (stage->group != StageGroup::documents || !(is_of_inputs || states_heads))) {
            continue;
        }
        const std::vector<Parameters> all = parameters_of(*stage, chapter.lesson.embeddings.shape()[1]);
        std::set<std::string> seen;
        for (const Parameters& parameters : all) {
            std::string key;
            for (const ParameterRow& row : parameter_table()) {
                key += uses(*stage, row.name) ? row.json(parameters) + " " : "";
            }
            if (seen.insert(key).second) {
                add(*stage, parameters, nullptr);
            }
        }
        for (const TensorMap& weights : own_weights(chapter.is_documents)) {
            const auto file = std::make_shared<const TensorFile>("", weights);
            Parameters parameters = stage->defaults;
            parameters.batch = uses(*stage, "batch") ? 2 : parameters.batch;
            std::vector<std::optional<std::size_t>> heads{std::nullopt};
            if (const auto query = weights.find("W_query.weight");
                query != weights.end() && uses(*stage, "num_heads")) {
                const std::set<std::size_t> shown = shown_heads(query->second.shape()[0]);
                heads.insert(heads.end(), shown.begin(), shown.end());
            }
            for (const std::optional<std::size_t> h : heads) {
                if (uses(*stage, "weights")) {
                    add(*stage, parameters,
                        [file, h](const Stage&) { return StateDict{.file = file, .num_heads = h}; });
                }
            }
        }
    }
}

bool Lessons::is_of_trainable(const Computed& node, std::string_view name) {
    const Stage& stage = *find_stage("trainable");
    const StageTrace walked = walk(stage, built_in_lesson(), stage.defaults, {});
    const std::optional<std::size_t> step = walked.find(name);
    return step && identical(walked.node(*step).value, node.value);
}

std::vector<TensorMap> Lessons::own_weights(bool is_documents) {
    auto& known = own_weights_[is_documents];
    if (!known) {
        known.emplace();
        std::vector<std::map<std::string, std::size_t>> groups;
        for (const Module& module : graph_.flow().modules) {
            groups.push_back(module.tensors);
        }
        std::map<std::string, std::size_t> free;
        for (std::size_t id = 0; id < nodes_.size(); ++id) {
            const Computed& node = nodes_[id];
            if (graph_.owners(id).empty() && (graph_.is_drawn(id) || node.operation == "printed")) {
                free[node.name] = id;
            }
        }
        groups.push_back(std::move(free));
        groups.emplace_back();
        for (const Module& module : graph_.flow().modules) {  // layers that are variables of their own
            for (const auto& [attribute, node] : module.tensors) {
                if (module.type == "Linear" && !usual_weight_name(module.name).empty()) {
                    groups.back()[module.name + "." + attribute] = node;
                }
            }
        }
        for (const auto& group : groups) {
            TensorMap weights;
            bool is_usual = true;
            for (const auto& [name, node] : group) {
                const std::string of(usual_weight_name(name));
                const bool is_bias = name.ends_with(".bias");
                if (of.empty() || !nodes_[node].is_known ||
                    nodes_[node].value.rank() != (is_bias ? 1U : 2U)) {
                    continue;
                }
                const std::size_t dot = name.ends_with(".weight") || is_bias
                                            ? name.rfind('.', name.rfind('.') - 1)
                                            : name.rfind('.');
                const std::string prefix =
                    name.starts_with("heads.") && dot != std::string::npos ? name.substr(0, dot + 1) : "";
                weights[prefix + of +
                        (is_bias                     ? ".bias"
                         : name.ends_with(".weight") ? ".weight"
                                                     : "")] = nodes_[node].value;
                is_usual = is_usual && nodes_[node].operation != untransposed &&
                           !(is_documents && graph_.has_seed_of_document(node) &&
                             !is_of_trainable(nodes_[node], of));
            }
            if (weights.size() >= 3 && is_usual) {
                TensorMap layers;  // as the weights of nn.Linear
                for (const auto& [name, weight] : weights) {
                    if (!name.ends_with(".weight") && !name.ends_with(".bias") && weight.rank() == 2) {
                        layers[name + ".weight"] = transpose(weight, 0, 1);
                    }
                }
                known->push_back(std::move(weights));
                if (layers.size() >= 3) {
                    known->push_back(std::move(layers));
                }
            }
        }
    }
    return *known;
}

}  // namespace attn
