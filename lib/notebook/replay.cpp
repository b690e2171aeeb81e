#include "notebook/replay.hpp"

#include <algorithm>
#include <utility>

#include "notebook/ops/layout.hpp"
#include "tensor/error.hpp"

namespace attn {

Replay::Replay(const Notebook& original, std::span<const std::size_t> wanted)
    : original_(&original),
      wanted_(original.nodes().size()),
      after_(original.nodes().size()),
      moved_(original.nodes().size()),
      made_(original.nodes().size()),
      now_(original.nodes().size()),
      changed_(original.nodes().size()) {
    const Nodes& nodes = original.nodes();
    for (const std::size_t id : wanted) {
        wanted_[id] = true;
    }
    // The calls of the forward pass determine those of the backward pass, so a mistake in numbers alone keeps
    // all calls. If no gradient is wanted, only the shapes of gradients must stay the same.
    needs_gradients_ = !wanted.empty() && std::ranges::any_of(nodes, [](const Node& node) {
        return node.gradient_of.has_value();
    });
    Draws after;
    for (std::size_t id = nodes.size(); id-- > 0;) {
        for (const std::size_t input : nodes[id].call.inputs) {
            wanted_[input] = wanted_[input] || wanted_[id];
        }
        after_[id] = after;
        after = nodes[id].call.operation->is_given() ? after : nodes[id].call.draws;
    }
}

bool Replay::make(const std::vector<Edit>& edits, std::size_t from) {
    replacement_.reset();
    return make_calls(edits, from);
}

bool Replay::make_of(std::size_t given, Tensor value) {
    replacement_.emplace(given, std::move(value));
    return make_calls({}, given);
}

bool Replay::make_calls(const std::vector<Edit>& edits, std::size_t from) {
    const Nodes& nodes = original_->nodes();
    // Nodes before the first change of the last replay can be reused.
    const std::size_t kept = std::min({from, first_changed_, first_renamed_, notebook_.nodes().size()});
    notebook_.nodes_.keep_first(kept);
    notebook_.count_ = 0;
    notebook_.edits_.clear();
    for (const Edit& edit : edits) {
        notebook_.edits_.push_back({edit.begin()});
    }
    first_changed_ = nodes.size();
    first_renamed_ = nodes.size();
    for (std::size_t id = kept; id < from; ++id) {  // all nodes before this one are unchanged
        take_over(nodes.shared(id), id);
    }
    notebook_.behind_ = from == 0 ? Draws{} : after_[from - 1];
    std::size_t id = from;
    try {
        while (id < nodes.size() && make_call(id)) {
            ++id;
        }
    } catch (const Error&) {  // a stage with these edits would stop here, too
        first_changed_ = std::min(first_changed_, id);
        std::fill(changed_.begin() + static_cast<std::ptrdiff_t>(id), changed_.end(), false);
        id = needs_gradients_ ? id : nodes.size();
    }
    is_made_ = id == nodes.size();
    return is_made_;
}

bool Replay::make_call(std::size_t id) {
    const Node& node = original_->nodes()[id];
    const Operation& operation = *node.call.operation;
    bool changes = operation.draws && notebook_.draws() != node.call.draws;
    const bool draws_otherwise = changes;
    bool can_be_made = true;
    for (const std::size_t input : node.call.inputs) {
        changes = changes || changed_[input];
        can_be_made = can_be_made && now_[input] != skipped;
    }
    const Nodes::Shared& moved = can_be_made ? this->moved(id) : original_->nodes().shared(id);
    std::optional<Var> instead;
    if (replacement_ && replacement_->first == id) {
        instead = notebook_.given(replacement_->second);
    } else if (can_be_made && !operation.is_given()) {
        instead = notebook_.edited(moved->call);
    }
    if (!instead && !changes) {
        take_over(moved, id);
        return true;
    }
    first_changed_ = std::min(first_changed_, id);
    if (needs_gradients_) {
        return false;
    }
    changed_[id] = true;
    if (!instead && (!can_be_made || (!wanted_[id] && !operation.draws))) {
        if (operation.draws) {
            notebook_.behind_ = after_[id];
        }
        now_[id] = skipped;
        return !wanted_[id] && !draws_otherwise;
    }
    now_[id] = instead ? instead->id : evaluate(id);
    if (!node.name.empty() && notebook_.nodes_[now_[id]].name != node.name) {
        first_renamed_ = std::min(first_renamed_, now_[id]);
        now_[id] = notebook_.assign(node.name, {&notebook_, now_[id]}, node.role).id;
    }
    const Node& now = notebook_.nodes_[now_[id]];
    changed_[id] = !operation.is_tensor() || !identical(now.value, node.value);
    // A stage continues in the same way whatever shape layers and weights have.
    const bool is_weight = operation.is_parameter() || now.call.operation->is_parameter();
    return is_weight || now.value.shape() == node.value.shape();
}

// Returns the node itself, or a copy if its operands have moved.
const Nodes::Shared& Replay::moved(std::size_t id) {
    const Nodes::Shared& node = original_->nodes().shared(id);
    const auto stays = [this](std::size_t input) { return now_[input] == input; };
    if (std::ranges::all_of(node->call.inputs, stays)) {
        return node;
    }
    if (!moved_[id]) {
        moved_[id] = std::make_shared<Node>(*node);
    }
    point_operands(*moved_[id], id);
    return moved_[id];
}

void Replay::take_over(const Nodes::Shared& node, std::size_t id) {
    if (node->call.operation->draws || node->call.operation->seeds()) {
        notebook_.behind_ = after_[id];
    }
    now_[id] = notebook_.nodes_.add(node);
    changed_[id] = false;
}

std::size_t Replay::evaluate(std::size_t id) {
    const Node& node = original_->nodes()[id];
    if (!made_[id]) {
        made_[id] = std::make_shared<Node>();
        made_[id]->call = node.call;
        made_[id]->name = node.name;
        made_[id]->role = node.role;
    }
    point_operands(*made_[id], id);
    return notebook_.evaluate(made_[id]).id;
}

void Replay::point_operands(Node& node, std::size_t id) const {
    std::ranges::transform(original_->nodes()[id].call.inputs, node.call.inputs.begin(),
                           [this](std::size_t input) { return now_[input]; });
}

const Tensor* Replay::changed(std::size_t wanted) const {
    return changed_[wanted] ? &notebook_.nodes()[now_[wanted]].value : nullptr;
}

}  // namespace attn
