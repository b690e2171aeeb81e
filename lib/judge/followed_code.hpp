// Follows a document's code in the ways in which it may have run, and pairs each number that the document
// prints with the expression that shows it. Judges nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dataflow/dataflow.hpp"
#include "documents/document.hpp"
#include "documents/python_code.hpp"
#include "judge/judge.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// Numbers that are shown one by one, from Dataflow::shown[first] on, and printed as a tensor of this shape.
struct Joined {
    std::size_t first;
    Shape shape;
};

struct FollowedCode {
    std::vector<python::Code> code{};  // one for each item of the document
    std::vector<Judged> outputs{};     // not judged yet
    std::vector<Message> skipped{};    // outputs that are too large, with their places
    Dataflow flow{};
    std::vector<std::optional<std::size_t>> shown_of{};  // for each output: the index in Dataflow::shown
    DataflowOptions options{};                           // with which the code gives most of the outputs
    std::vector<Joined> joined{};                        // from the last to the first
    std::size_t shown_count = 0;                         // in Dataflow::shown, before these were joined

    // The tensor that an output shows.
    std::optional<std::size_t> node_of(std::size_t output) const;
    // True for an output with other numbers than the code gives, as far as it is followed, if something that
    // is not followed may be the reason.
    bool is_doubtful(std::size_t output) const;
    // True if the value of a node prints so.
    bool agrees(const PrintedTensor& printed, std::size_t node) const;
    // The dataflow if a node had this value.
    Dataflow with_value(const Document& document, std::size_t node, const Tensor& value) const;
};

// If the document uses `inputs` and never assigns it, these are its value, if the outputs then agree better.
FollowedCode follow_outputs(const Document& document, const Tensor& inputs);

// True if a tensor of this value prints so.
bool is_printed(const PrintedTensor& printed, const Tensor& value, double slack);

}  // namespace attn
