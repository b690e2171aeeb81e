#include "judge/searches.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "mistakes/mistakes.hpp"
#include "tensor/error.hpp"

namespace attn {

std::string_view mistake_of(const Diagnosis& answer) {
    return answer.is_decided() && !answer.is_right() ? answer.matches.front().mistakes.front() : "";
}

bool is_about_draws(const Match& match) {
    return !match.mistakes.empty() && is_about(match.mistakes.front(), About::draws);
}

// True for a match whose weights are drawn in another order or at another time.
bool tells_other_order(const Match& match) {
    return std::ranges::any_of(match.mistakes, [](auto id) { return is_about(id, About::order_of_draws); });
}

bool is_drawn_otherwise(const Match& match) {
    return is_about_draws(match) && !tells_other_order(match) && match.mistakes.size() == 1;
}

// The walks in which the operands of a node are right, else all that draw their weights.
std::vector<Searches::Candidates> Searches::candidates(std::optional<std::size_t> id,
                                                       const Chapter& chapter) {
    std::vector<Candidates> all(1);
    std::set<const StageTrace*> near;
    std::set<std::size_t> seen;
    const std::function<void(std::size_t)> collect = [&](std::size_t node) {
        if (!seen.insert(node).second) {
            return;
        }
        for (const Found& found : found_(node)) {
            if (found.walk->node(found.step).value.count() > 2) {
                near.insert(found.walk);
            }
        }
        for (const std::size_t operand : code_[node].operands) {
            collect(operand);
        }
    };
    for (const std::size_t operand : id ? code_[*id].operands : Ids()) {
        collect(operand);
    }
    // Code that draws no weights is a part of a document, and does not say these.
    static const std::vector<std::string_view> drawn{"seed",  "d_out",   "num_heads",     "qkv_bias",
                                                     "batch", "dropout", "context_length"};
    const std::vector<std::string_view> given =
        id || code_.graph.draws_weights() ? drawn : std::vector<std::string_view>();
    for (std::size_t i = 0; i < chapter.walks.size(); ++i) {
        const StageTrace& walk = chapter.walks[i];
        if (near.empty() ? walk.own_weights : !near.contains(&walk)) {
            continue;
        }
        if (walk.own_weights) {
            all.push_back({chapter.weights[i], {}});
        }
        std::vector<Candidate>& of = walk.own_weights ? all.back().all : all.front().all;
        of.push_back({walk.stage, walk.parameters, given, false});
    }
    return all;
}

const Diagnosis& Searches::ask(std::size_t id) {
    constexpr std::size_t most_asked = 24;
    constexpr std::size_t most_searches = 32;
    static const Diagnosis nothing;
    const auto known = answers_.find(id);
    if (known != answers_.end()) {
        return known->second;
    }
    if (answers_.size() == most_asked || searches_ > most_searches) {
        return nothing;
    }
    Diagnosis& answer = answers_[id] = diagnose_in_chapters({printed_as(id)}, id).at(0);
    if (are_drawn_right(id)) {
        std::erase_if(answer.matches, tells_other_order);
    }
    return answer;
}

bool Searches::are_drawn_right(std::size_t id) const {
    bool has_weights = false;
    for (const Drawn& draw : code_.flow.draws) {
        if (code_[draw.node].operation == "dropout-mask" || !code_.graph.depends(id, draw.node)) {
            continue;
        }
        has_weights = true;
        if (found_(draw.node).empty()) {
            return false;
        }
    }
    return has_weights;
}

// A node as a pasted tensor.
PrintedTensor Searches::printed_as(std::size_t id) const {
    const Computed& node = code_[id];
    PrintedTensor printed;
    printed.name = code_.graph.named_step(id).empty() ? "" : code_.graph.named_step(id);
    printed.shown = node.value.shape();
    constexpr std::uint8_t decimals = 5;
    for (const float x : node.value.values()) {
        printed.numbers.push_back(
            {.value = static_cast<double>(x),
             .decimals = decimals,
             .notation = std::isfinite(x) ? PrintedNumber::Notation::fixed : PrintedNumber::Notation::word});
    }
    return printed;
}

std::vector<Diagnosis> Searches::diagnose_in_chapters(const std::vector<PrintedTensor>& printed,
                                                      std::optional<std::size_t> id) {
    std::vector<Diagnosis> best(printed.size());
    for (const Chapter& chapter : code_.lessons.chapters()) {
        for (const Candidates& of : candidates(id, chapter)) {
            keep_better(best, printed, chapter, of);
            searches_ += id && !of.all.empty() ? 1 : 0;
        }
    }
    return best;
}

void Searches::keep_better(std::vector<Diagnosis>& best, const std::vector<PrintedTensor>& printed,
                           const Chapter& chapter, const Candidates& of) const {
    if (of.all.empty()) {
        return;
    }
    try {
        Inputs inputs = code_.question.inputs;
        inputs.weights = of.weights ? of.weights : inputs.weights;
        Question question{chapter.lesson, inputs, of.all, code_.question.as, false, true};
        std::vector<Diagnosis> found = diagnose(printed, question);
        for (std::size_t i = 0; i < printed.size(); ++i) {
            const bool is_better =
                best[i].matches.empty() ||
                (!found[i].matches.empty() && found[i].matches.front().bits > best[i].matches.front().bits);
            if (is_better) {
                best[i] = std::move(found[i]);
            }
        }
    } catch (const Error&) {
        return;  // weights that do not fit these stages
    }
}

}  // namespace attn
