#include "diagnosis/right_walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "diagnosis/bits.hpp"
#include "printed/references.hpp"
#include "stages/shipped.hpp"
#include "tensor/error.hpp"
#include "tensor/tensor.hpp"
#include "tensor/threads.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

struct Tried {
    Parameters parameters;
    double bits = 0.0;
    std::vector<std::string_view> not_chosen{};
    const Erratum* erratum = nullptr;
};

bool same(const Parameters& a, const Parameters& b) {
    return std::ranges::all_of(parameter_table(),
                               [&](const ParameterRow& row) { return row.json(a) == row.json(b); });
}

void add(std::vector<Tried>& settings, const Tried& one) {
    const bool known = std::ranges::any_of(
        settings, [&](const Tried& other) { return same(other.parameters, one.parameters); });
    if (!known) {
        settings.push_back(one);
    }
}

double bits_of(const Candidate& candidate) {
    return candidate.stage->group == StageGroup::onward && !candidate.asked_for ? cost::further_topic : 0.0;
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

// Returns true if the question has the documents' lesson and drawn weights, as the documents' tables do.
bool is_of_documents(const Question& question) {
    return question.inputs.weights == nullptr &&
           identical(question.lesson.embeddings, built_in_lesson().embeddings);
}

// Returns the candidate's parameters, those of the documents' tables and those of known errata. If there is
// dropout, and the algorithm for its masks was not chosen, each is returned with both algorithms.
std::vector<Tried> settings(const Candidate& candidate, const Question& question) {
    std::vector<Tried> all{{candidate.parameters}};
    if (is_of_documents(question)) {
        for (const Reference& reference : references()) {
            Parameters parameters = candidate.parameters;
            bool contradicts = reference.stage != candidate.stage->name;
            for (const ReferenceParameter& of_table : reference.parameters) {
                if (!is_given(candidate, of_table.row->name)) {
                    of_table.set(parameters);
                }
                contradicts = contradicts || of_table.row->json(parameters) != of_table.json;
            }
            if (!contradicts) {
                add(all, {parameters});
            }
        }
        for (const Erratum& erratum : errata()) {
            const bool is_settled = std::ranges::any_of(erratum.parameters, [&](const Setting& setting) {
                return is_given(candidate, setting.parameter);
            });
            if (!erratum.mistake.empty() && erratum.stage == candidate.stage->name && !is_settled) {
                all.push_back({.parameters = candidate.parameters, .erratum = &erratum});
                erratum.set(all.back().parameters);
            }
        }
    }
    if (uses(*candidate.stage, "dropout_rng") && !is_given(candidate, "dropout_rng")) {
        for (const Tried& one : std::vector(all)) {
            Tried other{.parameters = one.parameters, .bits = cost::dropout_generator};
            const bool is_mkl = one.parameters.dropout_rng == DropoutRng::mkl;
            other.parameters.dropout_rng = is_mkl ? DropoutRng::mt19937 : DropoutRng::mkl;
            if (one.parameters.dropout > 0.0) {
                add(all, other);
            }
        }
    }
    return all;
}

// Returns the widths of a stage that one size of a tensor suggests: for all heads side by side, or for one of
// them.
std::set<std::size_t> widths(const Parameters& parameters, std::size_t last) {
    constexpr std::size_t most = 256;  // beyond this, one walk takes too long for a guess
    const std::size_t heads = parameters.num_heads;
    std::set<std::size_t> found{parameters.d_out};
    for (const std::size_t width : {last, last * heads, last % heads == 0 ? last / heads : 0}) {
        if (width > 0 && width <= most) {
            found.insert(width);
        }
    }
    return found;
}

// Returns true if a tensor has the shape of a step, or of a piece such as a row.
bool has_shape(const StageTrace& trace, std::span<const PrintedTensor* const> tensors,
               const std::string& as) {
    return std::ranges::any_of(tensors, [&](const PrintedTensor* const tensor) {
        const Pattern pattern(*tensor);
        return std::ranges::any_of(trace.steps, [&](std::size_t id) {
            const Node& step = trace.node(id);
            return (as.empty() || step.name == as) && pattern.fits(step.value.shape());
        });
    });
}

std::vector<Tried> resized(const PrintedTensor& pasted, const Candidate& candidate, const Lesson& lesson) {
    const Stage& stage = *candidate.stage;
    const std::size_t rank = pasted.shown.rank();
    std::vector<Tried> found;
    if (rank == 0 || !may_be_resized(pasted, lesson)) {
        return found;
    }
    std::set<std::size_t> batches{candidate.parameters.batch};
    if (uses(stage, "batch") && !is_given(candidate, "batch") && rank > 2 && !pasted.gaps[0]) {
        batches.insert(pasted.shown[0]);
    }
    std::set<std::size_t> sizes{candidate.parameters.d_out};
    if (uses(stage, "d_out") && !is_given(candidate, "d_out") && !is_given(candidate, "num_heads")) {
        for (std::size_t axis = rank > 2 ? rank - 2 : 0; axis < rank; ++axis) {
            sizes.merge(widths(candidate.parameters, pasted.shown[axis]));
        }
    }
    for (const std::size_t batch : batches) {
        for (const std::size_t width : sizes) {
            Tried one{candidate.parameters};
            for (const auto& [name, differs] : {std::pair("batch", batch != one.parameters.batch),
                                                std::pair("d_out", width != one.parameters.d_out)}) {
                if (differs) {
                    one.bits += cost::width;
                    one.not_chosen.emplace_back(name);
                }
            }
            one.parameters.batch = batch;
            one.parameters.d_out = width;
            if (one.bits > 0.0) {
                found.push_back(one);
            }
        }
    }
    return found;
}

// A walk to be made, and its result.
struct Planned {
    const Candidate* candidate;
    Tried tried;
    bool of_document = false;
    std::optional<StageTrace> trace{};
    std::optional<Error> misfit{};  // for example, num_heads does not divide the width
};

// The widest first, because they take longest. Walks of a long lesson use all threads themselves; they are
// made in order, so that the same ones are left out for lack of memory.
void make(std::vector<Planned>& planned, const Question& question, Budget& budget) {
    constexpr std::size_t long_lesson = 256;
    const bool is_long = question.lesson.embeddings.size(0) > long_lesson;
    std::vector<Planned*> order;
    for (Planned& one : planned) {
        order.push_back(&one);
    }
    if (!is_long) {
        std::ranges::stable_sort(order, std::ranges::greater(),
                                 [](const Planned* one) { return one->tried.parameters.d_out; });
    }
    parallel_for(order.size(), is_long ? 1 : num_threads(), [&](std::size_t i, std::size_t) {
        Planned& one = *order[i];
        if (!budget.has_memory()) {
            return;
        }
        try {
            one.trace = walk(*one.candidate->stage, question.lesson, one.tried.parameters, question.inputs);
            budget.use_memory(effort(*one.trace));
        } catch (const Error& error) {
            one.misfit = error;
        }
    });
}

RightWalk made(Planned& planned) {
    return {std::move(*planned.trace), bits_of(*planned.candidate) + planned.tried.bits,
            planned.tried.not_chosen, planned.of_document, planned.tried.erratum};
}

}  // namespace

std::size_t effort(const StageTrace& trace) {
    std::size_t numbers = 0;
    for (const Node& node : trace.notebook.nodes()) {
        numbers += node.value.count();
    }
    return numbers;
}

std::vector<RightWalk> right_walks(const Question& question, Budget& budget) {
    std::vector<Planned> planned;
    for (const Candidate& candidate : question.candidates) {
        planned.push_back({&candidate, {candidate.parameters}});
        for (const Tried& one : settings(candidate, question)) {
            if (!same(one.parameters, candidate.parameters)) {
                planned.push_back({&candidate, one, true});
            }
        }
    }
    make(planned, question, budget);
    std::vector<RightWalk> walks;
    std::set<std::string> names;
    std::optional<Error> misfit;
    const Candidate* left_out = nullptr;
    for (Planned& one : planned) {
        if (one.misfit && !one.of_document) {
            if (one.candidate->asked_for) {
                throw *one.misfit;
            }
            misfit = misfit ? misfit : one.misfit;
            left_out = one.candidate;
        }
        if (!one.trace || one.candidate == left_out) {
            continue;
        }
        walks.push_back(made(one));
        for (const std::size_t id : one.of_document ? std::vector<std::size_t>() : walks.back().trace.steps) {
            names.insert(walks.back().trace.node(id).name);
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

bool may_be_resized(const PrintedTensor& pasted, const Lesson& lesson) {
    const Shape& shape = lesson.embeddings.shape();
    return pasted.shown.rank() < 2 || pasted.summarised() ||
           std::ranges::any_of(pasted.shown,
                               [&](std::size_t size) { return size == shape[0] || size == shape[1]; });
}

std::vector<RightWalk> resized_walks(std::span<const PrintedTensor* const> tensors, const Question& question,
                                     Budget& budget) {
    std::vector<RightWalk> walks;
    if (question.inputs.weights != nullptr) {  // given weights have their own widths
        return walks;
    }
    std::vector<Planned> planned;
    for (const Candidate& candidate : question.candidates) {
        std::vector<Tried> settings;
        for (const PrintedTensor* const tensor : tensors) {
            for (const Tried& one : resized(*tensor, candidate, question.lesson)) {
                add(settings, one);
            }
        }
        for (const Tried& one : settings) {
            planned.push_back({&candidate, one});
        }
    }
    make(planned, question, budget);
    for (Planned& one : planned) {
        if (one.trace && has_shape(*one.trace, tensors, question.as)) {
            walks.push_back(made(one));
        }
    }
    return walks;
}

std::vector<RightWalk> other_layers_walks(const Question& question, Budget& budget) {
    std::vector<Planned> planned;
    for (const Candidate& candidate : question.candidates) {
        if (uses(*candidate.stage, "qkv_bias") && !is_given(candidate, "qkv_bias") &&
            question.inputs.weights == nullptr) {
            Tried one{candidate.parameters, cost::layers, {"qkv_bias"}};
            one.parameters.qkv_bias = !one.parameters.qkv_bias;
            planned.push_back({&candidate, one});
        }
        // A forward pass with dropout also contains the steps without it.
        if (candidate.parameters.backward && candidate.parameters.dropout > 0.0 &&
            uses(*candidate.stage, "dropout") && !is_given(candidate, "dropout")) {
            Tried one{candidate.parameters, cost::layers};
            one.parameters.dropout = 0.0;
            planned.push_back({&candidate, one});
        }
    }
    make(planned, question, budget);
    std::vector<RightWalk> walks;
    for (Planned& one : planned) {
        if (one.trace) {
            walks.push_back(made(one));
        }
    }
    return walks;
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
        of_table = resolved(of_table, uses(*trace.stage, "lesson") ? &question.lesson : nullptr);
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
