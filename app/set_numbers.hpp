// The option --set: replaces numbers, or all of a tensor, of inputs, weights and masks before anything is
// computed from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stages/trace.hpp"

namespace attn {

class SetNumbers {
public:
    // Parses texts such as `inputs[1][0]=0.5`, a cell and a number, and `mask=mask.npy`, a tensor and a file
    // with its numbers. Throws Error for other texts.
    explicit SetNumbers(const std::vector<std::string>& texts);

    // Replaces the numbers of a tensor during a run. Throws Error for a cell that does not exist or is
    // computed.
    void set(Var named);

    // Throws Error if none of the stages has one of the tensors.
    void require_all_used(const std::vector<StageTrace>& stages) const;

private:
    struct One {
        std::string address;
        std::string name;  // name of the tensor
        float value = 0.0F;
        std::optional<Tensor> all = std::nullopt;  // all numbers of the tensor
        std::string file = "";                     // where they are from
        bool used = false;
    };

    std::vector<One> all_;
};

}  // namespace attn
