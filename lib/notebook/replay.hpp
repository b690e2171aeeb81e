// Repeats the calls of a notebook with edits. Nodes that no edit affects are shared with the original. The
// affected nodes are computed only if they, or nodes computed from them, are wanted. The result has no lines
// of code; to get these, walk the stage with the same edits.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

class Replay {
public:
    // `wanted` are the nodes whose tensors are needed. `original` must outlive the Replay.
    Replay(const Notebook& original, std::span<const std::size_t> wanted);

    // Repeats the calls with these edits. Returns false if the stage itself might continue differently,
    // because a call fails or its result has a different shape. No edit may apply to a node before `from`.
    bool make(const std::vector<Edit>& edits, std::size_t from = 0);
    // Repeats the calls without edits, but with the tensor of one node replaced.
    bool make_of(std::size_t given, Tensor value);

    // True if the last replay succeeded.
    bool is_made() const { return is_made_; }
    // Returns the replacement of a wanted node in the last replay, or null if no edit affects it.
    const Tensor* changed(std::size_t wanted) const;
    // Returns the first replaced node; the number of nodes if none was replaced.
    std::size_t first_changed() const { return first_changed_; }

private:
    static constexpr std::size_t skipped = static_cast<std::size_t>(-1);

    bool make_calls(const std::vector<Edit>& edits, std::size_t from);
    bool make_call(std::size_t id);
    const Nodes::Shared& moved(std::size_t id);
    void take_over(const Nodes::Shared& node, std::size_t id);
    std::size_t evaluate(std::size_t id);
    void point_operands(Node& node, std::size_t id) const;

    const Notebook* original_;
    std::vector<bool> wanted_;  // true for wanted nodes and for their operands
    std::vector<Draws> after_;  // the generator's state after each node
    Notebook notebook_;
    // Copies of the original's nodes, made only once. In moved_, tensors are the same, but operands have new
    // ids; in made_, tensors are evaluated again.
    std::vector<Nodes::Shared> moved_;
    std::vector<Nodes::Shared> made_;
    std::vector<std::size_t> now_;  // the replacement of each node of the original
    std::vector<bool> changed_;     // for each node of the original: true if it changed
    std::size_t first_changed_ = 0;
    std::size_t first_renamed_ = 0;  // the first node that got a name in the last replay
    std::optional<std::pair<std::size_t, Tensor>>
        replacement_;  // a node, and the tensor that replaces its result
    bool is_made_ = false;
    bool needs_gradients_ = false;
};

}  // namespace attn
