// A right walk that is repeated with edits. First, only the steps that a pasted tensor could be are
// computed and compared. The whole stage is walked only if one matches, or if edits of calls do not suffice.
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/ranking.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/target.hpp"
#include "notebook/replay.hpp"

namespace attn {

// The effect of edits: whether a step changes that could be a pasted tensor, and the steps that match one.
struct Outcome {
    bool changes = false;
    Matches matches{};
    Work work = 0;  // of walks that were not estimated
};

class AlteredWalk {
public:
    // `made` is an edit that only a walk can make. The walk already contains it before further edits are
    // made.
    AlteredWalk(const RightWalk& right, Targets targets, const Question& question, const Ranking& ranking,
                const WalkEdit* made = nullptr);
    AlteredWalk(const AlteredWalk&) = delete;
    AlteredWalk& operator=(const AlteredWalk&) = delete;

    const RightWalk& right() const { return *right_; }

    // Makes the edits, and compares each changed step with the pasted tensors.
    Outcome make(const WalkEdits& edits);

    // Estimates the work of making the edits.
    Work work_of(const WalkEdits& edits) const;

    // Returns the first call that the last edits changed, or nothing if the stage had to be walked.
    std::optional<std::size_t> first_changed() const;

    // Returns true if `made` changes the shape of a step that has a pasted shape.
    bool reshapes() const;

private:
    enum class Effect { none, changes, explains };

    struct Step {
        std::size_t id;
        const Tensor* right;  // the tensor without edits
        bool fits;            // a pasted tensor has the shape of the step, or of a piece such as a row
    };

    const Notebook& notebook() const { return (walked_ ? *walked_ : right_->trace).notebook; }
    std::vector<Step> steps_that_may_hold_targets() const;
    std::size_t first_call(const WalkEdits& edits) const;
    bool is_repeated(const WalkEdits& edits) const;
    bool changes_parameters(const WalkEdits& edits) const;
    std::optional<Effect> repeat(const std::vector<Edit>& calls, std::size_t from);
    std::optional<StageTrace> walk_with_all(const WalkEdits& edits) const;
    Outcome compare_walk_with(const WalkEdits& edits) const;

    const RightWalk* right_;
    std::vector<Target*> targets_;  // a copy, because the search may open other tensors meanwhile
    const Question* question_;
    const Ranking* ranking_;
    const WalkEdit* made_;
    std::optional<StageTrace> walked_;  // the walk that contains the edit `made`
    std::vector<Step> steps_;
    std::vector<Work> work_;  // for each call: the work of repeating it and all later ones, and of comparing
    Replay replay_;
};

}  // namespace attn
