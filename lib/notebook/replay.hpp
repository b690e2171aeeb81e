// Repeats the calls of a notebook with edits. Nodes that no edit reaches are shared with the original; of the
// others, only requested ones are computed. Lines of code are not this one's business; the stage walked with
// the same edits has them.
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
    // `wanted`: the nodes whose tensors are asked for. The original has to outlive this.
    Replay(const Notebook& original, std::span<const std::size_t> wanted);

    // Makes the calls again with these edits. Returns false where the stage itself might go on otherwise than
    // its calls say: where a call cannot be made, or makes a tensor of another shape. `from`: no edit applies
    // to a node before.
    bool make(std::vector<Edit> edits, std::size_t from = 0);
    // The same with another tensor in place of a given one, and no edits.
    bool make_of(std::size_t given, Tensor value);

    // True if the last replay succeeded.
    bool is_made() const { return is_made_; }
    // The replacement of a wanted node in the last replay; null where no edit reaches it.
    const Tensor* changed(std::size_t wanted) const;
    // The first replaced node; the number of nodes if none is.
    std::size_t first_changed() const { return first_changed_; }

private:
    static constexpr std::size_t skipped = static_cast<std::size_t>(-1);

    bool make_calls(std::vector<Edit> edits, std::size_t from);
    bool make_call(std::size_t id);
    const Nodes::Shared& moved(std::size_t id);
    void take_over(const Nodes::Shared& node, std::size_t id);
    std::size_t evaluate(std::size_t id);
    void point_operands(Node& node, std::size_t id) const;

    const Notebook* original_;
    std::vector<bool> wanted_;  // or an operand of what is
    std::vector<Draws> after_;  // where the generator stood after each node
    Notebook notebook_;
    // Copies of nodes of the original, made once: with the same tensor and operands where they stand now, and
    // to be evaluated anew.
    std::vector<Nodes::Shared> moved_;
    std::vector<Nodes::Shared> made_;
    std::vector<std::size_t> now_;  // for each node of the original, the one that stands for it
    std::vector<bool> changed_;     // by node of the original
    std::size_t first_changed_ = 0;
    std::optional<std::pair<std::size_t, Tensor>> instead_;  // of a given tensor
    bool is_made_ = false;
    bool goes_back_ = false;
};

}  // namespace attn
