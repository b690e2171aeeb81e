// A single wrong number: mistyped in the paste, or changed in the inputs. The right number is computed from
// the differences, because trying all changes would take too long.
#pragma once

#include "diagnosis/ranking.hpp"
#include "diagnosis/right_walks.hpp"
#include "diagnosis/target.hpp"

namespace attn {

// Estimates the work of slips_in. Most searches for a changed input only move each input once.
Work work_of_slips(const RightWalk& right, Targets targets, const Question& question);

// Returns the convincing explanations of these tensors as steps of a walk with one wrong number, in the paste
// or in the inputs.
Matches slips_in(const RightWalk& right, Targets targets, const Question& question, const Ranking& ranking);

}  // namespace attn
