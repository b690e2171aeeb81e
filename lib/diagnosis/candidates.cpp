#include "diagnosis/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

// What one size of a tensor may say about the width of a stage: all heads side by side, or one of them.
std::set<std::size_t> widths(const Candidate& candidate, std::size_t last) {
    constexpr std::size_t most = 256;  // beyond, one walk takes too long to be tried on suspicion
    const std::size_t heads = candidate.parameters.num_heads;
    std::set<std::size_t> found{candidate.parameters.d_out};
    for (const std::size_t width : {last, last * heads, last % heads == 0 ? last / heads : 0}) {
        if (width > 0 && width <= most) {
            found.insert(width);
        }
    }
    return found;
}

bool has_shape(const StageTrace& trace, const PrintedTensor& pasted, const std::string& as) {
    return std::ranges::any_of(trace.steps, [&](std::size_t id) {
        const Node& step = trace.node(id);
        return (as.empty() || step.name == as) && pasted.fits(step.value.shape());
    });
}

}  // namespace

std::vector<StageTrace> right_walks(const Question& question) {
    std::vector<StageTrace> walks;
    std::set<std::string_view> names;
    for (const Candidate& candidate : question.candidates) {
        walks.push_back(walk(*candidate.stage, question.lesson, candidate.parameters, question.inputs));
        for (const std::size_t id : walks.back().steps) {
            names.insert(walks.back().node(id).name);
        }
    }
    if (!question.as.empty() && !names.contains(question.as)) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        throw Error(fmt::format("--as: there is no step {}.{}", in_quotes(question.as),
                                did_you_mean(question.as, known)));
    }
    return walks;
}

std::vector<StageTrace> resized(const PrintedTensor& pasted, const Question& question) {
    std::vector<StageTrace> walks;
    if (pasted.shown.rank() < 1) {
        return walks;
    }
    for (const Candidate& candidate : question.candidates) {
        if (candidate.widths_given || question.inputs.weights != nullptr) {
            continue;
        }
        std::set<std::size_t> batches{candidate.parameters.batch};
        if (uses(*candidate.stage, "batch") && pasted.shown.rank() > 2 && !pasted.gaps[0]) {
            batches.insert(pasted.shown[0]);
        }
        for (const std::size_t batch : batches) {
            for (const std::size_t width : widths(candidate, pasted.shown[pasted.shown.rank() - 1])) {
                Parameters parameters = candidate.parameters;
                parameters.batch = batch;
                parameters.d_out = uses(*candidate.stage, "d-out") ? width : parameters.d_out;
                if (batch == candidate.parameters.batch && parameters.d_out == candidate.parameters.d_out) {
                    continue;
                }
                // Where heads cannot share the width, the walk ends before it has begun.
                StageTrace trace = walk_edited(*candidate.stage, question.lesson, parameters, question.inputs,
                                               {[](Notebook&, const Call&) { return std::nullopt; }});
                if (has_shape(trace, pasted, question.as)) {
                    walks.push_back(std::move(trace));
                }
            }
        }
    }
    return walks;
}

}  // namespace attn
