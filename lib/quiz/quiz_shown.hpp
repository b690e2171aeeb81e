// What a quiz question shows of the step it is about: its line of code, and the operands that are needed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "words/narration.hpp"

namespace attn {

class ShownStep {
public:
    ShownStep(const StageTrace& trace, std::size_t position) : trace_(trace), position_(position) {}

    const Node& node() const { return trace_.step(position_); }
    std::string line() const;
    // The line below those of the numbers it mentions: `d_in = 3`.
    std::string code() const;
    // `d_in = 3` for each named number of the stage that is wanted and known by then.
    std::string numbers(const std::function<bool(std::string_view)>& is_wanted) const;

    // The tensors the line mentions.
    std::vector<const Node*> operands() const;
    // `keys has shape (6, 2)` for each of them.
    std::string shapes(const Phrases& phrases) const;
    // Each of them as it prints, of one with leading axes the part a cell of the result depends on. Empty
    // when they hold more numbers than a reader can take in.
    std::string operands_for(const Index& cell, const PrintOptions& options) const;

private:
    const StageTrace& trace_;
    std::size_t position_;
};

}  // namespace attn
