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
    // A node of the original, and what the last replay did with it.
    struct Place {
        const Nodes::Shared& node;
        bool is_wanted = false;  // the node is wanted, or is an operand of a wanted node
        Draws after = {};        // the generator's state after the node
        bool has_changed = false;
        std::optional<std::size_t> now = {};  // its replacement in the replay; nothing if it was skipped
        // Copies that are made only once: with the same tensor and other operands, and with another tensor.
        Nodes::Shared moved = {}, evaluated = {};

        const Call& call() const { return node->call; }
        bool changes_draws() const { return call().operation->draws || call().operation->seeds(); }
    };

    bool make_calls(const std::vector<Edit>& edits, std::size_t from);
    bool make_call(std::size_t id);
    std::optional<Var> edited_result(std::size_t id, const Call& call);
    bool record(Place& place, std::size_t now);
    const Nodes::Shared& moved(Place& place);
    std::size_t evaluate(Place& place);
    void take_over(Place& place, const Nodes::Shared& node);
    void point_operands(const Place& place, Node& copy) const;

    std::vector<Place> places_;  // one for each node of the original
    Notebook notebook_;
    std::size_t first_changed_ = 0;
    // A node, and the tensor that replaces its result.
    std::optional<std::pair<std::size_t, Tensor>> replacement_;
    bool is_made_ = false;
    bool needs_gradients_ = false;
};

}  // namespace attn
