// Reads a recording: the calls that a reader's code made on PyTorch's tensors, with their numbers. The format
// is described in data/README.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/json_view.hpp"

namespace attn {

// The index of a call or a tensor, if there is one.
using OptionalIndex = std::optional<std::size_t>;

struct RecordedTensor {
    std::vector<std::size_t> shape;
    std::string type;                // the name in PyTorch: float32
    std::vector<std::string> names;  // the reader's names; for a parameter, the longest path first
    bool is_parameter = false;       // a parameter or a buffer of a module
    bool is_on_cpu = true;
    bool is_flat = false;        // a weight whose heads have no axis of their own any more; (in, out)
    bool has_numbers = false;    // false if the tensor was too large to record
    std::vector<float> numbers;  // row-major

    // Returns the size of an axis, counted from the end: -1 is the last; 0 if there is no such axis.
    std::size_t size(int axis) const {
        const auto at = static_cast<std::ptrdiff_t>(shape.size()) + axis;
        return at < 0 ? 0 : shape[static_cast<std::size_t>(at)];
    }
    std::string_view name() const { return names.empty() ? std::string_view() : names.back(); }
};

struct RecordedCall {
    std::string op;                                         // matmul
    std::string kind;                                       // the operation, as kind_of() groups them
    std::vector<std::size_t> operands, results;             // indices of tensors
    std::map<std::string, std::size_t> by_keyword{};        // operands that are given by keyword
    std::vector<std::pair<std::string, double>> arguments;  // numbers by keyword; "" for other arguments
    std::string module;                                     // the class whose method runs; may be empty
    bool is_eval = false;                                   // the method's module is in eval mode
    std::string equation{};                                 // of einsum
    std::string file, text;                                 // the reader's file and line of code
    std::size_t line = 0;
    struct Caller {
        std::string function, file, text;
        std::size_t line;
    };
    struct KeywordLine {
        std::string keyword, text;
        std::size_t line;
    };
    std::vector<KeywordLine> keyword_lines{};  // of keywords below the first line of the call
    std::vector<Caller> callers{};  // the lines that lead to the function of this call, the nearest first

    // Returns true if the test is true for an operand.
    bool reads(const auto& test) const { return std::ranges::any_of(operands, test); }

    // Returns true for the same operation in the same line.
    bool repeats(const RecordedCall& other) const {
        return line == other.line && file == other.file && op == other.op;
    }

    // Returns the number given for this keyword, or `otherwise`.
    double number(std::string_view keyword, double otherwise) const;
};

inline bool is_layout(const RecordedCall& call) {
    return call.kind == "layout";
}

inline bool is_sdpa(const RecordedCall& call) {
    return call.op == "scaled_dot_product_attention";
}

// Returns true for nn.MultiheadAttention as a whole.
inline bool is_module(const RecordedCall& call) {
    return call.op == "multi_head_attention_forward";
}

// Returns true if the call drops weights at random before it multiplies the values by them.
bool drops_weights(const RecordedCall& call);

// Returns true if the call multiplies matrices, or queries, keys and values.
inline bool is_product(const RecordedCall& call) {
    return call.kind == "matmul" || is_sdpa(call);
}

// Returns the place of a product's first factor: in addmm, a tensor to add comes before.
inline std::size_t first_factor(const RecordedCall& call) {
    return call.op == "addmm" || call.op == "baddbmm" ? 1 : 0;
}

struct Recording {
    std::vector<RecordedTensor> tensors;
    std::vector<RecordedCall> calls;
    std::vector<OptionalIndex> makers{};  // the call that made each tensor

    // Returns the call that made a tensor, or null.
    const RecordedCall* maker(std::size_t id) const { return makers[id] ? &calls[*makers[id]] : nullptr; }

    // Returns for each tensor whether it is an operand of a call.
    std::vector<bool> used() const;

    // Follows calls with one operand for which the test is true, back to the operand of the first one.
    std::size_t before(std::size_t id, const auto& test) const {
        while (makers[id] && maker(id)->operands.size() == 1 && test(*maker(id))) {
            id = maker(id)->operands[0];
        }
        return id;
    }

    // Returns these tensors and those from which they are made. Where the test is false for a tensor, the way
    // back ends with it.
    std::vector<std::size_t> behind(std::vector<std::size_t> ids, const auto& test) const {
        std::vector<bool> seen(tensors.size());
        for (std::size_t at = 0; at < ids.size(); ++at) {
            if (const std::size_t id = ids[at]; !seen[id] && makers[id] && test(id)) {
                ids.insert(ids.end(), maker(id)->operands.begin(), maker(id)->operands.end());
            }
            seen[ids[at]] = true;
        }
        return ids;
    }
};

// Returns true if this text is a recording, which read_recording() reads.
bool is_recording(std::string_view text);

// Throws Error, with the place, for a damaged recording.
Recording read_recording(std::string_view text, std::string_view origin);

}  // namespace attn
