// Says why a tensor departs: the mistake, the right line, and circumstances such as cells that ran in another
// order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "judge/code_reading.hpp"
#include "judge/verdicts.hpp"

namespace attn {

// The mistake of a node that departs.
Diagnosis cause_of(const CodeReading& code, Verdicts& verdicts, std::size_t culprit);

// A mistake that no walk has.
Diagnosis named_mistake(const CodeReading& code, std::size_t culprit, std::string_view mistake,
                        const std::string& right);

// The circumstances of a departure: a method that uses a variable of the notebook, operands from cells that
// stand further down and ran before, and the like.
std::vector<Circumstance> circumstances_of(const CodeReading& code, Verdicts& verdicts, const Judged& output,
                                           std::size_t culprit);

}  // namespace attn
