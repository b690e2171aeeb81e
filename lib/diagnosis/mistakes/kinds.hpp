// The tables of mistakes, one for each part of attention.
#pragma once

#include <vector>

#include "diagnosis/mistakes/mistakes.hpp"

namespace attn {

std::vector<Mistake> score_mistakes();
std::vector<Mistake> mask_mistakes();
std::vector<Mistake> dropout_mistakes();
std::vector<Mistake> input_mistakes();
std::vector<Mistake> weight_mistakes();
std::vector<Mistake> head_mistakes();
std::vector<Mistake> onward_mistakes();
std::vector<Mistake> gradient_mistakes();

}  // namespace attn
