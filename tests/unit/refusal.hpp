// The error of a call that should be refused.
#pragma once

#include <string>

#include "tensor/error.hpp"

namespace attn {

// Returns the message of the Error that a call throws, or an empty string.
template <typename Call>
std::string refusal_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace attn
