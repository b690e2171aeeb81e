// Builds the matches for one question. The value of a match depends on the number of steps that were
// searched, on the label, and on what else is known about the paste.
#pragma once

#include <optional>

#include "diagnosis/readings.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/target.hpp"
#include "mistakes/bits.hpp"
#include "mistakes/mistakes.hpp"

namespace attn {

class Ranking {
public:
    // `walks` are the right walks at the usual parameters.
    Ranking(const Question& question, const Walks& walks);

    // Returns true unless --as names a different step.
    bool is_asked_for(const Node& step) const { return question_->as.empty() || step.name == question_->as; }

    // Returns the highest value that an explanation with this cost could have.
    double most_worth(const Target& target, double cost) const;

    // Returns the match of a tensor with a piece of a step that contains these edits.
    Match match(const Target& target, const RightWalk& right, const StageTrace& walked, const Node& step,
                const Piece& piece, const WalkEdits& edits, const Reading& reading) const;

    // Returns the match of a tensor with a right step, or with a line between steps. If the label names a
    // different step, the label is the mistake. Returns nothing for such a label or a line if the match is
    // not convincing, because few digits agree by chance, and for a transposed line.
    std::optional<Match> match_right(const Target& target, const RightStep& of, const Piece& piece,
                                     const Reading& reading) const;

private:
    std::optional<Match> match_between(const Target& target, const RightStep& of, const Piece& piece) const;
    bool has_its_label(const Target& target, const StageTrace& trace, const Node& step,
                       const Piece& piece) const;

    const Question* question_;
    // Costs depend on these counts. Walks at the parameters of the documents' tables are not counted.
    double stages_ = 0.0;
    double steps_ = 0.0;
    double scalars_ = 0.0;  // the steps of rank 0
};

}  // namespace attn
