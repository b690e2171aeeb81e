#include "diagnosis/seeds.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "notebook/ops.hpp"

namespace attn {

namespace {

constexpr std::string_view attribute = "seed";

}  // namespace

std::vector<std::uint64_t> seeds_to_try(const Question& question) {
    constexpr std::uint64_t last_unasked = 999;
    std::vector<std::uint64_t> seeds((question.search_seeds ? last_searched_seed : last_unasked) + 1);
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{0});
    if (!question.search_seeds) {
        seeds.insert(seeds.end(), {1234, 1337, 2023, 2024, 2025, 2026});
    }
    return seeds;
}

double bits_of_seed(std::size_t seeds) {
    return find_mistake("other-seed")->bits + std::log2(static_cast<double>(seeds));
}

OtherSeeds::OtherSeeds(const RightWalk& right, std::uint64_t Parameters::*which, const Question& question)
    : which_(which) {
    constexpr std::uint64_t unused_seed = 0xBADC0DE;
    Parameters other = right.trace.parameters;
    other.*which = unused_seed;
    const StageTrace walked = walk(*right.trace.stage, question.lesson, other, question.inputs);
    const Nodes& nodes = right.trace.notebook.nodes();
    const Nodes& others = walked.notebook.nodes();
    same_calls_ = nodes.size() == others.size();
    for (std::size_t id = 0; same_calls_ && id < nodes.size(); ++id) {
        const Call& call = nodes[id].call;
        same_calls_ = call.operation == others[id].call.operation;
        if (same_calls_ && call.has(attribute)) {
            const bool differs = call.value(attribute) != others[id].call.value(attribute);
            first_ = differs && differs_.empty() ? id : first_;
            if (differs || !differs_.empty()) {
                differs_.push_back(differs);
            }
        }
    }
}

Attempt OtherSeeds::attempt(std::uint64_t seed, double bits) const {
    Variant variant{{}, [which = which_, seed](Parameters& parameters) { parameters.*which = seed; }};
    if (same_calls_) {
        variant.edit = [this, seed, next = std::size_t{0}](Notebook& notebook,
                                                           const Call& call) mutable -> std::optional<Var> {
            return call.has(attribute) && differs_[next++]
                       ? std::optional(notebook.record(*call.operation, {},
                                                       call.attributes.with(attribute, literal(seed))))
                       : std::nullopt;
        };
    }
    return {find_mistake("other-seed"), std::move(variant), bits};
}

}  // namespace attn
