// A right walk that is repeated with mistakes. First, only the steps that a pasted tensor could be are
// computed and compared. The whole stage is walked only if one matches, or if edits of calls do not suffice.
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/ranking.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/target.hpp"
#include "notebook/replay.hpp"

namespace attn {

// The effect of mistakes: whether a step changes that could be a pasted tensor, and the steps that match one.
struct Outcome {
    bool changes = false;
    Matches matches{};
    Work work = 0;  // of walks that were not estimated
};

class AlteredWalk {
public:
    // `made` is a mistake that no edit can make. The walk already contains it before further mistakes are
    // made.
    AlteredWalk(const RightWalk& right, Targets targets, const Question& question, const Ranking& ranking,
                const Attempt* made = nullptr);
    AlteredWalk(const AlteredWalk&) = delete;
    AlteredWalk& operator=(const AlteredWalk&) = delete;

    // Makes the mistakes, and compares each changed step with the pasted tensors. Calls before `from` are not
    // edited.
    Outcome attempt(const Attempts& mistakes, std::size_t from = 0);

    // Estimates the work of an attempt.
    Work work_of(const Attempts& mistakes, std::size_t from = 0) const;

    // Returns the first call that the last attempt changed, or nothing if the attempt needed more than edits.
    std::optional<std::size_t> first_changed() const;

    // Returns true if `made` changes the shape of a step that has a pasted shape.
    bool reshapes() const;

private:
    enum class Effect { none, changes, explains };

    struct Step {
        std::size_t id;
        const Tensor* right;  // the tensor without mistakes
        bool fits;            // a pasted tensor has the shape of the step, or of a piece such as a row
    };

    const Notebook& notebook() const { return (walked_ ? *walked_ : right_->trace).notebook; }
    std::vector<Step> steps_that_may_hold_targets() const;
    bool changes_parameters(const Attempts& mistakes) const;
    std::optional<Effect> repeat(const std::vector<Edit>& edits, std::size_t from);
    StageTrace walk_with_all(const Attempts& mistakes) const;
    Outcome compare_walk_with(const Attempts& mistakes) const;

    const RightWalk* right_;
    Targets targets_;
    const Question* question_;
    const Ranking* ranking_;
    const Attempt* made_;
    std::optional<StageTrace> walked_;  // the walk that contains the mistake `made`
    std::vector<Step> steps_;
    std::vector<Work> work_;  // for each call: the work of repeating it and all later ones, and of comparing
    Replay replay_;
};

}  // namespace attn
