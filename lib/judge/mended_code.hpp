// Follows the code again with the right value of a tensor that departs, to find the outputs that it changes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "judge/code_reading.hpp"
#include "judge/verdicts.hpp"

namespace attn {

class MendedCode {
public:
    // Both must outlive it.
    MendedCode(const CodeReading& code, Verdicts& verdicts) : code_(code), verdicts_(verdicts) {}

    // True if an output would have other numbers if an earlier node had the right ones; empty if unknown.
    std::optional<bool> is_affected(std::size_t output, std::size_t departed);

private:
    std::optional<Tensor> right_value(std::size_t departed);
    std::optional<Tensor> moved_rightly(std::size_t id);

    const CodeReading& code_;
    Verdicts& verdicts_;
    std::map<std::size_t, Dataflow> mended_{};  // culprit → the dataflow with its right value, if known
};

}  // namespace attn
