// Judges each tensor of a document's code: it equals a step of a walk, departs, follows from one that
// departs, or is a by-product. Walks come first; what they do not have is judged by the structure of the
// code.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "judge/code_reading.hpp"
#include "judge/found_steps.hpp"
#include "judge/judge.hpp"
#include "judge/node_signs.hpp"
#include "judge/searches.hpp"

namespace attn {

struct Status {
    OutputVerdict verdict = OutputVerdict::unknown;
    std::vector<Found> found{};
    std::optional<std::size_t> culprit{};  // the node that departs first
    bool is_swapped = false;               // right numbers under the name of another step
    bool is_dropped = false;               // computed from weights that is_dropped_as_set()
};

class Verdicts {
public:
    // The code must outlive the verdicts.
    explicit Verdicts(const CodeReading& code)
        : code_(code),
          searches_(code, [this](std::size_t id) -> const std::vector<Found>& { return status(id).found; }),
          repeated_draws_(repeated_draws(code)),
          known_(code.nodes.size()) {}

    const Status& status(std::size_t id);
    // The mistake that a node shows by itself; empty if it shows none.
    std::string_view evident_mistake(std::size_t id);
    // The same for mistakes that the diagnosis may know more about.
    std::string_view likely_mistake(std::size_t id);
    // An operand of one run beside operands of another, because its variable was assigned twice; and the
    // tensor of the other run that the variable had.
    struct Reassigned {
        std::size_t used;
        std::size_t other;
    };
    std::optional<Reassigned> reassigned_operand(std::size_t id);
    // The first tensor that departs from all walks before a tensor that is shown under a step's name: it is
    // computed from tensors of a walk, and is none.
    std::optional<std::size_t> first_departure(std::size_t id, std::string_view name);
    // The step with this name and the shape of a tensor.
    std::optional<Found> step_named(std::string_view name, std::size_t id) const;
    std::optional<Found> step_named_as(std::size_t id) const { return step_named(code_[id].name, id); }

    Searches& searches() { return searches_; }

private:
    Status decide(std::size_t id);
    std::optional<Status> by_itself(std::size_t id);
    std::optional<Status> as_step(std::size_t id, std::optional<std::size_t> culprit, bool is_swapped);
    Status outside_chapter(std::size_t id) const;
    Status as_computed(std::size_t id);
    Status as_call(std::size_t id, bool follows_code);
    Status blamed(std::size_t id);
    bool is_turned_back(std::size_t id) const;

    // departures.cpp
    std::string_view mistake_of_view(std::size_t id);
    bool drops_scores(std::size_t id);
    bool is_dropped_as_set(std::size_t id);
    bool is_on_purpose(std::size_t id);
    bool is_hidden(std::size_t id);
    bool copies_operand(std::size_t id, const std::vector<Found>& found, std::size_t culprit);
    bool share_a_run(std::size_t a, std::size_t b);
    std::optional<std::size_t> operand_of_notebook(std::size_t id);
    bool is_of_chapter(std::size_t id) const;
    bool leads_to_step(std::size_t id) const;
    std::optional<bool> is_line_of(const Found& step, std::size_t id);
    bool changes_step(std::size_t id, std::string_view name);
    bool masks_weights(std::size_t id);
    bool is_in_walks(std::size_t id) const;

    const CodeReading& code_;
    Searches searches_;
    std::set<std::size_t> repeated_draws_;
    std::vector<std::optional<Status>> known_;  // by node
};

// `settings` for steps with settings of the code, which are not the documents'.
OutputVerdict right_or_settings(const std::vector<Found>& found);

}  // namespace attn
