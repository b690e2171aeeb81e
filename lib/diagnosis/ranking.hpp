// Builds the matches for one question. The value of a match depends on the number of steps that were
// searched, on the label, and on what else is known about the paste.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "diagnosis/mistakes/mistakes.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/rounding.hpp"
#include "diagnosis/target.hpp"

namespace attn {

using Attempts = std::vector<const Attempt*>;

class Ranking {
public:
    // `walks` are the right walks at the usual parameters.
    Ranking(const Question& question, std::span<const RightWalk> walks);

    // Returns true unless --as names a different step.
    bool is_asked_for(const Node& step) const { return question_->as.empty() || step.name == question_->as; }

    // Returns the highest value that an explanation with this cost could have.
    double most_worth(const Target& target, Claim cost) const;

    // Returns the match of a tensor with a piece of a step that contains these mistakes.
    Match match(const Target& target, const RightWalk& right, const StageTrace& walked, const Node& step,
                const Piece& piece, const Attempts& mistakes, const Rounding* rounding = nullptr) const;

    // Returns the match of a tensor with a right step. If the label names a different step, the label is the
    // mistake; then returns nothing for few digits, because these agree by chance.
    std::optional<Match> match_right(const Target& target, const RightWalk& right, const Node& step,
                                     const Piece& piece, const Rounding* rounding = nullptr) const;

    // Returns the match of a tensor with a node that is not a step; nothing if the match is not convincing.
    std::optional<Match> match_between(const Target& target, const RightWalk& right, std::size_t id,
                                       const Piece& piece) const;

private:
    bool has_its_label(const Target& target, const StageTrace& trace, const Node& step,
                       const Piece& piece) const;

    const Question* question_;
    // Costs depend on these counts. Walks at the parameters of the documents' tables are not counted.
    double stages_ = 0.0;
    double steps_ = 0.0;
    double scalars_ = 0.0;  // the steps of rank 0
};

}  // namespace attn
