// A single wrong number: mistyped in the paste, or changed in the inputs. The right number is computed from
// the differences, because trying all changes would take too long.
#pragma once

#include <optional>

#include "diagnosis/ranking.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/target.hpp"

namespace attn {

// Returns the explanation of a tensor as a step with one wrong digit, two exchanged digits or a wrong sign,
// if it is convincing.
std::optional<Match> mistyped(const Target& target, const RightStep& step, const Ranking& ranking);

// Estimates the work of other_inputs, or returns 0 if the walk has no inputs, too many, or a backward pass,
// which takes long. Most searches only move each input once.
Work work_of_other_input(const RightWalk& right, Targets targets, const Question& question);

// Returns the convincing explanations of these tensors as steps of a walk with one number of the inputs
// changed.
Matches other_inputs(const RightWalk& right, Targets targets, const Question& question,
                     const Ranking& ranking);

}  // namespace attn
