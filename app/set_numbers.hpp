// --set: numbers of the inputs, weights and masks set to others before anything is computed from them.
#pragma once

#include <string>
#include <vector>

#include "stages/trace.hpp"

namespace attn {

class SetNumbers {
public:
    // Each text is a cell and a number: `inputs[1][0]=0.5`. Throws Error for one that is not.
    explicit SetNumbers(const std::vector<std::string>& texts);

    // The function that sets them during a walk; it refers to this object. While it walks it throws Error for
    // a cell there is none of, and for one that is computed.
    Notebook::NameWatcher setter();

    // Throws Error when one of them is of a tensor that none of the stages has.
    void require_all_used(const std::vector<StageTrace>& stages) const;

private:
    struct One {
        std::string address;
        std::string name;  // of the tensor
        float value;
        bool used = false;
    };

    void set(Var named);

    std::vector<One> all_;
};

}  // namespace attn
