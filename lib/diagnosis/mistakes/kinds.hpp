// The tables of mistakes, by the place of attention they are made in.
#pragma once

#include <vector>

#include "diagnosis/mistakes/mistakes.hpp"

namespace attn {

std::vector<Mistake> score_mistakes();
std::vector<Mistake> mask_mistakes();
std::vector<Mistake> dropout_mistakes();
std::vector<Mistake> weight_mistakes();
std::vector<Mistake> head_mistakes();
std::vector<Mistake> onward_mistakes();
std::vector<Mistake> gradient_mistakes();

}  // namespace attn
