#include "diagnosis/seeds.hpp"

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "mistakes/bits.hpp"
#include "notebook/ops.hpp"
#include "stages/catalogue.hpp"

namespace attn {

namespace {

constexpr std::string_view attribute = "seed";

}  // namespace

Seeds seeds_to_try(const Question& question, bool are_unlikely) {
    constexpr std::uint64_t last_unasked = 999;
    std::set<std::uint64_t> seeds{0, 1, 2, 7, 42, 1234};
    if (!are_unlikely) {
        for (const Stage* const stage : catalogue()) {
            seeds.insert(stage->defaults.seed);
        }
    } else {
        seeds.insert({1337, 2023, 2024, 2025, 2026});
        const std::uint64_t last = question.search_seeds ? last_searched_seed : last_unasked;
        for (std::uint64_t seed = 0; seed <= last; ++seed) {
            seeds.insert(seed);
        }
    }
    return {{seeds.begin(), seeds.end()},
            find_mistake("other-seed")->bits + bits_for(static_cast<double>(seeds.size()))};
}

std::vector<WalkEdit> seed_edits(const RightWalk& right, std::uint64_t Parameters::*which,
                                 const Question& question, const Seeds& seeds) {
    constexpr std::uint64_t unused_seed = 0xBADC0DE;
    Parameters other = right.trace.parameters;
    other.*which = unused_seed;
    const StageTrace walked = walk(*right.trace.stage, question.lesson, other, question.inputs);
    const Nodes& nodes = right.trace.notebook.nodes();
    const Nodes& others = walked.notebook.nodes();
    // If all seeds give the same calls, the calls can be edited instead of walking again.
    bool same_calls = nodes.size() == others.size();
    std::size_t first = 0;
    std::vector<bool> differs;  // for each seeded call from the first one on: true if it uses the seed
    for (std::size_t id = 0; same_calls && id < nodes.size(); ++id) {
        const Call& call = nodes[id].call;
        same_calls = call.operation == others[id].call.operation;
        if (same_calls && call.has(attribute)) {
            const bool is_other = call.value(attribute) != others[id].call.value(attribute);
            first = is_other && differs.empty() ? id : first;
            if (is_other || !differs.empty()) {
                differs.push_back(is_other);
            }
        }
    }
    const auto shared = std::make_shared<const std::vector<bool>>(differs);
    std::vector<WalkEdit> edits;
    for (const std::uint64_t seed : same_calls&& differs.empty() ? std::vector<std::uint64_t>() : seeds.all) {
        WalkEdit edit{{}, {}, find_mistake("other-seed"), seeds.bits, first};
        edit.parameters = [which, seed](Parameters& parameters) { parameters.*which = seed; };
        if (same_calls) {
            edit.calls = [shared, seed, next = std::size_t{0}](
                             Notebook& notebook, const Call& call) mutable -> std::optional<Var> {
                return call.has(attribute) && (*shared)[next++]
                           ? std::optional(notebook.record(*call.operation, {},
                                                           call.attributes.with(attribute, literal(seed))))
                           : std::nullopt;
            };
        }
        edits.push_back(std::move(edit));
    }
    return edits;
}

}  // namespace attn
