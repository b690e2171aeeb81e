// A right walk that is repeated with mistakes, as far as needed to see whether they explain a pasted tensor.
#pragma once

#include <optional>
#include <vector>

#include "diagnosis/ranking.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/target.hpp"
#include "notebook/replay.hpp"

namespace attn {

class AlteredWalk {
public:
    enum class Effect { none, changes, explains };

    // `made` is a mistake that cannot be made by editing calls, and `walked` is the walk with this mistake.
    // Further mistakes are then made in that walk.
    AlteredWalk(const RightWalk& right, Targets targets, const Ranking& ranking,
                const Attempt* made = nullptr, std::optional<StageTrace> walked = std::nullopt);
    AlteredWalk(const AlteredWalk&) = delete;
    AlteredWalk& operator=(const AlteredWalk&) = delete;

    const RightWalk& right() const { return *right_; }
    Targets targets() const { return targets_; }
    const Attempt* made() const { return made_; }       // the mistake made before, or null
    bool has_steps() const { return !steps_.empty(); }  // false if no step may contain the pasted numbers

    // Returns the effect of these edits on the steps that may contain the pasted numbers. Returns nothing if
    // the stage might continue differently, so that it must be walked. No edit may apply to a call before
    // `from`.
    std::optional<Effect> repeat(std::vector<Edit> edits, std::size_t from = 0);

    // Returns the first call that the last repetition changed, or nothing if the stage must be walked.
    std::optional<std::size_t> first_changed() const;

    // Returns true if the mistake made before gives a step of a pasted shape a different shape.
    bool reshapes() const;

private:
    struct Step {
        std::size_t id;
        const Tensor* right;  // the tensor without mistakes
        bool fits;            // a pasted tensor has its shape or that of a piece, such as a row
    };

    const Notebook& notebook() const { return (walked_ ? *walked_ : right_->trace).notebook; }
    static std::vector<Step> steps_for(Targets targets, const RightWalk& right, const StageTrace& walked,
                                       const Ranking& ranking);
    static std::vector<std::size_t> ids(const std::vector<Step>& steps);

    const RightWalk* right_;
    Targets targets_;
    const Attempt* made_;
    std::optional<StageTrace> walked_;
    std::vector<Step> steps_;
    Replay replay_;
};

}  // namespace attn
