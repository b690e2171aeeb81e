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
      spare_(original.nodes().size()),
      taken_over_(original.nodes().size()),
      now_(original.nodes().size()),
      changed_(original.nodes().size()) {
    const std::vector<Node>& nodes = original.nodes();
    for (const std::size_t id : wanted) {
        wanted_[id] = true;
    }
    // Gradients are recorded from the calls that a mistake leaves, and not by a stage: where it leaves all of
    // them, so are they. Where none is asked for, what matters is that each has the shape of its tensor.
    goes_back_ = !wanted.empty() &&
                 std::ranges::any_of(nodes, [](const Node& node) { return node.gradient_of.has_value(); });
    Draws after;
    for (std::size_t id = nodes.size(); id-- > 0;) {
        for (const std::size_t input : nodes[id].call.inputs) {
            wanted_[input] = wanted_[input] || wanted_[id];
        }
        after_[id] = after;
        after = nodes[id].call.operation->is_given() ? after : nodes[id].call.draws;
    }
    notebook_.nodes_.reserve(2 * nodes.size());
}

bool Replay::make(std::vector<Edit> edits, std::size_t from) {
    const std::vector<Node>& nodes = original_->nodes();
    std::vector<Node>& made = notebook_.nodes_;
    // Those before the first that changed last time are still there; others that were taken over go back.
    const std::size_t kept = std::min({from, first_changed_, made.size()});
    for (std::size_t id = kept; id < nodes.size(); ++id) {
        if (taken_over_[id]) {
            spare_[id] = std::move(made[now_[id]]);
            taken_over_[id] = false;
        }
    }
    made.erase(made.begin() + static_cast<std::ptrdiff_t>(kept), made.end());
    notebook_.count_ = 0;
    notebook_.edits_.clear();
    for (Edit& edit : edits) {
        notebook_.edits_.push_back({std::move(edit)});
    }
    first_changed_ = nodes.size();
    for (std::size_t id = kept; id < from; ++id) {  // those before are as they were
        now_[id] = id;
        changed_[id] = false;
        prepare(id);
        take_over(id);
    }
    notebook_.behind_ = from == 0 ? Draws{} : after_[from - 1];
    std::size_t id = from;
    try {
        while (id < nodes.size() && make_call(id)) {
            ++id;
        }
    } catch (const Error&) {  // here ends the stage as well
        first_changed_ = std::min(first_changed_, id);
        std::fill(changed_.begin() + static_cast<std::ptrdiff_t>(id), changed_.end(), false);
        id = goes_back_ ? id : nodes.size();
    }
    is_made_ = id == nodes.size();
    return is_made_;
}

bool Replay::make_call(std::size_t id) {
    const Node& node = original_->nodes()[id];
    const Operation& operation = *node.call.operation;
    const Call& call = prepare(id);
    bool changes = operation.draws && notebook_.draws() != node.call.draws;
    const bool draws_otherwise = changes;
    bool can_be_made = true;
    for (const std::size_t input : node.call.inputs) {
        changes = changes || changed_[input];
        can_be_made = can_be_made && now_[input] != skipped;
    }
    std::optional<Var> instead;
    if (can_be_made && !operation.is_given()) {
        instead = notebook_.edited(call);
    }
    if (goes_back_ && (instead || changes)) {
        first_changed_ = id;
        return false;
    }
    if (!instead && changes && (!can_be_made || (!wanted_[id] && !operation.draws))) {
        if (operation.draws) {
            notebook_.behind_ = after_[id];
        }
        now_[id] = skipped;
        changed_[id] = true;
        first_changed_ = std::min(first_changed_, id);
        return !wanted_[id] && !draws_otherwise;
    }
    if (instead) {
        now_[id] = instead->id;
    } else if (changes) {
        now_[id] = notebook_.evaluate(call).id;
    } else {
        now_[id] = take_over(id);
    }
    if (!node.name.empty() && notebook_.nodes_[now_[id]].name != node.name) {
        now_[id] = notebook_.assign(node.name, {&notebook_, now_[id]}, node.role).id;
    }
    const Tensor& value = notebook_.nodes_[now_[id]].value;
    changed_[id] = (instead || changes) && (!operation.is_tensor() || !identical(value, node.value));
    if (instead || changes) {
        first_changed_ = std::min(first_changed_, id);
    }
    return value.shape() == node.value.shape();
}

// Its copy, with the nodes that stand for its operands now.
const Call& Replay::prepare(std::size_t id) {
    const Node& node = original_->nodes()[id];
    if (spare_[id].call.operation == nullptr) {
        spare_[id] = node;
    }
    Call& call = spare_[id].call;
    std::ranges::transform(node.call.inputs, call.inputs.begin(),
                           [this](std::size_t input) { return now_[input]; });
    return call;
}

std::size_t Replay::take_over(std::size_t id) {
    const Operation& operation = *original_->nodes()[id].call.operation;
    notebook_.nodes_.push_back(std::move(spare_[id]));
    taken_over_[id] = true;
    if (operation.draws || operation.seeds()) {
        notebook_.behind_ = after_[id];
    }
    return notebook_.nodes_.size() - 1;
}

const Tensor* Replay::changed(std::size_t wanted) const {
    return changed_[wanted] ? &notebook_.nodes()[now_[wanted]].value : nullptr;
}

}  // namespace attn
