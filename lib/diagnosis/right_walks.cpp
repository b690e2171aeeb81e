#include "diagnosis/right_walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "stages/shipped.hpp"
#include "tensor/error.hpp"
#include "tensor/tensor.hpp"
#include "tensor/threads.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "views/comparison/references.hpp"

namespace attn {

namespace {

// A planned walk, and its result.
struct Plan {
    const Candidate* candidate;
    Parameters parameters;
    RightWalk right{};
    bool is_made = false;
    // The parameters do not fit; for example, num_heads does not divide the width.
    std::optional<Error> misfit{};
};

// Plans a walk, unless this stage is already planned with the same parameters.
void add(std::vector<Plan>& plans, const Plan& plan) {
    const bool known = std::ranges::any_of(plans, [&](const Plan& other) {
        return other.candidate == plan.candidate && same(other.parameters, plan.parameters);
    });
    if (!known) {
        plans.push_back(plan);
    }
}

bool is_given(const Candidate& candidate, std::string_view parameter) {
    return std::ranges::find(candidate.given, parameter) != candidate.given.end();
}

const std::vector<Reference>& references() {
    static const std::vector<Reference> all = read_references();
    return all;
}

const std::vector<Erratum>& errata() {
    static const std::vector<Erratum> all = read_errata("en");
    return all;
}

// Returns true if the documents' tables apply: the lesson is theirs, and the weights are drawn.
bool is_of_documents(const Question& question) {
    return question.inputs.weights == nullptr &&
           identical(question.lesson.embeddings, built_in_lesson().embeddings);
}

// Plans walks at the candidate's parameters, at those of the documents' tables and those of known errata. If
// there is dropout and nobody chose the generator of its masks, each walk is planned with both generators.
std::vector<Plan> plans_for(const Candidate& candidate, const Question& question) {
    std::vector<Plan> plans{{&candidate, candidate.parameters}};
    if (is_of_documents(question)) {
        for (const Reference& reference : references()) {
            Plan plan{&candidate, candidate.parameters};
            bool contradicts = reference.stage != candidate.stage->name;
            for (const ReferenceParameter& of_table : reference.parameters) {
                if (!is_given(candidate, of_table.row->name)) {
                    of_table.set(plan.parameters);
                }
                contradicts = contradicts || of_table.row->json(plan.parameters) != of_table.json;
            }
            if (!contradicts) {
                add(plans, plan);
            }
        }
        for (const Erratum& erratum : errata()) {
            const bool is_settled = std::ranges::any_of(erratum.parameters, [&](const Setting& setting) {
                return is_given(candidate, setting.parameter);
            });
            if (!erratum.mistake.empty() && erratum.stage == candidate.stage->name && !is_settled) {
                Plan& plan = plans.emplace_back(Plan{&candidate, candidate.parameters});
                plan.right.erratum = &erratum;
                erratum.set(plan.parameters);
            }
        }
    }
    if (uses(*candidate.stage, "dropout_rng") && !is_given(candidate, "dropout_rng")) {
        for (Plan plan : std::vector(plans)) {
            const bool is_mkl = plan.parameters.dropout_rng == DropoutRng::mkl;
            plan.parameters.dropout_rng = is_mkl ? DropoutRng::mt19937 : DropoutRng::mkl;
            plan.right.bits = cost::dropout_generator;
            plan.right.erratum = nullptr;
            if (plan.parameters.dropout > 0.0) {
                add(plans, plan);
            }
        }
    }
    for (Plan& plan : plans) {
        plan.right.of_document = &plan != plans.data();
    }
    return plans;
}

// The largest width or batch that is guessed from a tensor's size; a walk at a larger one takes too long.
constexpr std::size_t most_guessed = 256;

// Returns the values of d_out that a tensor's size suggests: the size may be the width of one head or of all
// heads.
std::set<std::size_t> widths(const Parameters& parameters, std::size_t last) {
    const std::size_t heads = parameters.num_heads;
    std::set<std::size_t> found{parameters.d_out};
    for (const std::size_t width : {last, last * heads, last % heads == 0 ? last / heads : 0}) {
        if (width > 0 && width <= most_guessed) {
            found.insert(width);
        }
    }
    return found;
}

void add_resized(std::vector<Plan>& plans, const PrintedTensor& pasted, const Candidate& candidate,
                 const Question& question) {
    const Stage& stage = *candidate.stage;
    const std::size_t rank = pasted.shown.rank();
    if (rank == 0 || !may_be_resized(pasted, question)) {
        return;
    }
    std::set<std::size_t> batches{candidate.parameters.batch};
    if (uses(stage, "batch") && !is_given(candidate, "batch") && rank > 2 && !pasted.gaps[0] &&
        pasted.shown[0] <= most_guessed) {
        batches.insert(pasted.shown[0]);
    }
    std::set<std::size_t> sizes{candidate.parameters.d_out};
    if (uses(stage, "d_out") && !is_given(candidate, "d_out") && !is_given(candidate, "num_heads")) {
        for (std::size_t axis = rank > 2 ? rank - 2 : 0; axis < rank; ++axis) {
            sizes.merge(widths(candidate.parameters, pasted.shown[axis]));
        }
    }
    // A width that a further topic has by itself is likelier that of the topic.
    const auto of_topic = [&](std::size_t width) {
        return stage.group != StageGroup::onward &&
               std::ranges::any_of(question.candidates, [width](const Candidate& other) {
                   return other.stage->group == StageGroup::onward && other.stage->defaults.d_out == width;
               });
    };
    for (const std::size_t batch : batches) {
        for (const std::size_t width : sizes) {
            Plan one{&candidate, candidate.parameters};
            for (const auto& [name, differs] : {std::pair("batch", batch != one.parameters.batch),
                                                std::pair("d_out", width != one.parameters.d_out)}) {
                if (differs) {
                    one.right.bits += name == std::string_view("d_out") && of_topic(width)
                                          ? cost::further_topic
                                          : cost::width;
                    one.right.not_chosen.emplace_back(name);
                }
            }
            one.parameters.batch = batch;
            one.parameters.d_out = width;
            if (one.right.bits > 0.0) {
                add(plans, one);
            }
        }
    }
}

// Makes the walks in waves, so that always the same ones are left out for lack of memory or work. With a long
// lesson, walks are made one after the other, because each uses all threads.
void make(std::vector<Plan>& plans, const Question& question, Budget& budget) {
    constexpr std::size_t long_lesson = 256;
    const std::size_t wave = question.lesson.embeddings.size(0) > long_lesson ? 1 : 16;
    for (std::size_t first = 0; first < plans.size() && budget.has_memory() && budget.take(0, "steps");
         first += wave) {
        const std::size_t count = std::min(wave, plans.size() - first);
        parallel_for(count, num_threads(), [&](std::size_t i, std::size_t) {
            Plan& one = plans[first + i];
            try {
                one.right.trace =
                    walk(*one.candidate->stage, question.lesson, one.parameters, question.inputs);
                one.is_made = true;
            } catch (const Error& error) {
                one.misfit = error;
            }
        });
        for (std::size_t i = first; i < first + count; ++i) {
            Plan& one = plans[i];
            if (one.is_made) {
                budget.use_memory(effort(one.right.trace));
                budget.count(work_of(one.right.trace));
                const bool is_further = one.candidate->stage->group == StageGroup::onward;
                one.right.bits += is_further && !one.candidate->asked_for ? cost::further_topic : 0.0;
            }
        }
    }
}

// Returns the walks whose stages accept the suggested parameters.
std::vector<RightWalk> make_all(std::vector<Plan> plans, const Question& question, Budget& budget) {
    make(plans, question, budget);
    std::vector<RightWalk> walks;
    for (Plan& plan : plans) {
        if (plan.is_made) {
            walks.push_back(std::move(plan.right));
        }
    }
    return walks;
}

}  // namespace

bool same(const Parameters& a, const Parameters& b) {
    return std::ranges::all_of(parameter_table(),
                               [&](const ParameterRow& row) { return row.json(a) == row.json(b); });
}

std::vector<RightStep> steps_of(const Walks& walks) {
    std::vector<RightStep> steps;
    for (const RightWalk* const right : walks) {
        for (const std::size_t id : right->trace.steps) {
            steps.push_back({right, id});
        }
    }
    return steps;
}

std::vector<RightWalk> right_walks(const Question& question, Budget& budget) {
    std::vector<Plan> plans;
    for (const Candidate& candidate : question.candidates) {
        std::ranges::move(plans_for(candidate, question), std::back_inserter(plans));
    }
    make(plans, question, budget);
    std::vector<RightWalk> walks;
    std::set<std::string> names;
    std::optional<Error> misfit;
    const Candidate* left_out = nullptr;
    for (Plan& one : plans) {
        if (one.misfit && !one.right.of_document) {
            if (one.candidate->asked_for) {
                throw *one.misfit;
            }
            misfit = misfit ? misfit : one.misfit;
            left_out = one.candidate;
        }
        if (!one.is_made || one.candidate == left_out) {
            continue;
        }
        const RightWalk& right = walks.emplace_back(std::move(one.right));
        for (const std::size_t id : right.of_document ? std::vector<std::size_t>() : right.trace.steps) {
            names.insert(right.trace.node(id).name);
        }
    }
    if (walks.empty() && misfit) {
        throw *misfit;
    }
    if (!question.as.empty() && !names.contains(question.as) && budget.left_out().empty()) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        throw Error("`as`: there is no step {}.{}", in_quotes(question.as), did_you_mean(question.as, known));
    }
    return walks;
}

bool may_be_resized(const PrintedTensor& pasted, const Question& question) {
    const Shape& shape = question.lesson.embeddings.shape();
    std::size_t heads = 1;
    for (const Candidate& candidate : question.candidates) {
        heads = std::max(heads, candidate.parameters.num_heads);
    }
    const auto is_of_lesson = [&](std::size_t size) { return size == shape[0] || size == shape[1]; };
    const auto may_be_guessed = [&](std::size_t size) {
        return size <= most_guessed * heads || is_of_lesson(size);
    };
    return pasted.summarised() ||
           ((pasted.shown.rank() < 2 || std::ranges::any_of(pasted.shown, is_of_lesson)) &&
            std::ranges::all_of(pasted.shown, may_be_guessed));
}

std::vector<RightWalk> resized_walks(Targets targets, const Question& question, Budget& budget) {
    if (question.inputs.weights != nullptr) {  // the widths of given weights cannot change
        return {};
    }
    std::vector<Plan> plans;
    for (const Candidate& candidate : question.candidates) {
        for (const Target* const target : one_of_each_shape(targets)) {
            add_resized(plans, target->printed(), candidate, question);
        }
    }
    return make_all(std::move(plans), question, budget);
}

std::vector<RightWalk> other_layers_walks(const Question& question, Budget& budget) {
    std::vector<Plan> plans;
    for (const Candidate& candidate : question.candidates) {
        if (uses(*candidate.stage, "qkv_bias") && !is_given(candidate, "qkv_bias") &&
            question.inputs.weights == nullptr) {
            // Also with the seeds of the documents' tables.
            for (Plan plan : plans_for(candidate, question)) {
                plan.right.bits += cost::layers;
                plan.right.not_chosen = {"qkv_bias"};
                plan.parameters.qkv_bias = !plan.parameters.qkv_bias;
                if (plan.right.erratum == nullptr) {
                    plans.push_back(std::move(plan));
                }
            }
        }
        // A forward pass with dropout also contains the steps without it.
        if (candidate.parameters.backward && candidate.parameters.dropout > 0.0 &&
            uses(*candidate.stage, "dropout") && !is_given(candidate, "dropout")) {
            Plan& plan = plans.emplace_back(Plan{&candidate, candidate.parameters});
            plan.right.bits = cost::layers;
            plan.parameters.dropout = 0.0;
        }
    }
    return make_all(std::move(plans), question, budget);
}

std::vector<RightWalk> gradient_walks(const Question& question, Budget& budget) {
    Question backward = question;
    std::erase_if(backward.candidates, [](const Candidate& candidate) {
        return candidate.parameters.backward || !uses(*candidate.stage, "backward") ||
               (candidate.stage->group == StageGroup::onward && !candidate.asked_for);
    });
    if (backward.candidates.empty() || !question.as.empty()) {
        return {};
    }
    for (Candidate& candidate : backward.candidates) {
        candidate.parameters.backward = true;
    }
    std::vector<RightWalk> walks = right_walks(backward, budget);
    std::ranges::move(other_layers_walks(backward, budget), std::back_inserter(walks));
    for (RightWalk& right : walks) {
        right.bits += cost::unlabelled_gradient;
        std::erase_if(right.trace.steps, [&](std::size_t id) {
            const Node& step = right.trace.node(id);
            return !step.gradient_of || !step.name.starts_with("W_");
        });
    }
    return walks;
}

std::string document_of(const StageTrace& trace, std::string_view step, const Question& question) {
    std::string document;
    if (!is_of_documents(question)) {
        return document;
    }
    for (const Reference& reference : references()) {
        Parameters of_table = trace.stage->defaults;
        for (const ReferenceParameter& parameter : reference.parameters) {
            parameter.set(of_table);
        }
        of_table = resolved(of_table, *trace.stage, question.lesson);
        if (reference.stage == trace.stage->name && same(of_table, trace.parameters) &&
            (document.empty() || reference.step == step)) {
            document = reference.document;
            if (reference.step == step) {
                break;
            }
        }
    }
    return document;
}

}  // namespace attn
