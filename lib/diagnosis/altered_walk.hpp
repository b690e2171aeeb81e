// A right walk that is repeated with mistakes. A repetition computes only what is needed to see whether they
// explain a pasted tensor; only if they do, the stage itself is walked.
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/ranking.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/target.hpp"
#include "notebook/replay.hpp"

namespace attn {

// The result of mistakes: whether a changed step could be one of the tensors, and the steps that are.
struct Outcome {
    bool changes = false;
    Matches matches{};
};

class AlteredWalk {
public:
    // `made` is a mistake that no edit can make. Further mistakes are made in the walk with it.
    AlteredWalk(const RightWalk& right, Targets targets, const Question& question, const Ranking& ranking,
                const Attempt* made = nullptr);
    AlteredWalk(const AlteredWalk&) = delete;
    AlteredWalk& operator=(const AlteredWalk&) = delete;

    // Makes these mistakes, and compares each step they change with the tensors. No edit applies to a call
    // before `from`.
    Outcome attempt(const Attempts& mistakes, std::size_t from = 0);

    // Returns the first call that the last attempt changed; nothing if edits did not suffice for it.
    std::optional<std::size_t> first_changed() const;

    // Returns true if the mistake made before gives a step of a pasted shape a different shape.
    bool reshapes() const;

private:
    enum class Effect { none, changes, explains };

    struct Step {
        std::size_t id;
        const Tensor* right;  // the tensor without mistakes
        bool fits;            // a pasted tensor has its shape or that of a piece, such as a row
    };

    const Notebook& notebook() const { return (walked_ ? *walked_ : right_->trace).notebook; }
    std::vector<Step> steps_that_may_hold_targets() const;
    std::optional<Effect> repeat(std::vector<Edit> edits, std::size_t from);
    StageTrace walk_with(const Attempts& mistakes) const;
    Outcome compare_walk_with(const Attempts& mistakes) const;

    const RightWalk* right_;
    Targets targets_;
    const Question* question_;
    const Ranking* ranking_;
    const Attempt* made_;
    std::optional<StageTrace> walked_;  // with the mistake made before
    std::vector<Step> steps_;
    Replay replay_;
};

}  // namespace attn
