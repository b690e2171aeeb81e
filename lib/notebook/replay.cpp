#include "notebook/replay.hpp"

#include <algorithm>
#include <utility>

#include "notebook/ops/layout.hpp"
#include "tensor/error.hpp"

namespace attn {

Replay::Replay(const Notebook& original, std::span<const std::size_t> wanted) {
    const Nodes& nodes = original.nodes();
    places_.reserve(nodes.size());
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        places_.push_back({nodes.shared(id)});
    }
    for (const std::size_t id : wanted) {
        places_[id].is_wanted = true;
    }
    // The calls of the forward pass determine those of the backward pass, so a mistake in numbers alone keeps
    // all calls. If no gradient is wanted, only the shapes of gradients must stay the same.
    needs_gradients_ = !wanted.empty() && std::ranges::any_of(nodes, [](const Node& node) {
        return node.gradient_of.has_value();
    });
    Draws after;
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
        for (const std::size_t input : place->call().inputs) {
            places_[input].is_wanted = places_[input].is_wanted || place->is_wanted;
        }
        place->after = after;
        after = place->call().operation->is_given() ? after : place->call().draws;
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
    notebook_.restart(edits);
    first_changed_ = places_.size();
    for (Place& place : std::span(places_).first(from)) {  // no edit applies to them
        take_over(place, place.node);
    }
    std::size_t id = from;
    try {
        while (id < places_.size() && make_call(id)) {
            ++id;
        }
    } catch (const Error&) {  // a stage with these edits would stop here, too
        first_changed_ = std::min(first_changed_, id);
        for (Place& place : std::span(places_).subspan(id)) {
            place.has_changed = false;
        }
        id = needs_gradients_ ? id : places_.size();
    }
    is_made_ = id == places_.size();
    return is_made_;
}

bool Replay::make_call(std::size_t id) {
    Place& place = places_[id];
    const Node& node = *place.node;
    const Operation& operation = *node.call.operation;
    const bool draws_otherwise = operation.draws && notebook_.draws() != node.call.draws;
    const bool is_affected =
        draws_otherwise || std::ranges::any_of(node.call.inputs, [this](std::size_t input) {
            return places_[input].has_changed;
        });
    const bool has_operands = std::ranges::all_of(
        node.call.inputs, [this](std::size_t input) { return places_[input].now.has_value(); });
    const Nodes::Shared& same = has_operands ? moved(place) : place.node;
    const std::optional<Var> edited = has_operands ? edited_result(id, same->call) : std::nullopt;
    if (!edited && !is_affected) {
        take_over(place, same);
        return true;
    }
    first_changed_ = std::min(first_changed_, id);
    if (needs_gradients_) {
        return false;
    }
    place.has_changed = true;
    const bool is_needed = place.is_wanted || operation.draws;
    if (edited || (has_operands && is_needed)) {
        return record(place, edited ? edited->id : evaluate(place));
    }
    place.now.reset();
    if (operation.draws) {
        notebook_.set_draws(place.after);
    }
    return !place.is_wanted && !draws_otherwise;
}

// Returns the result that replaces the one of this call; nothing if the call stays.
std::optional<Var> Replay::edited_result(std::size_t id, const Call& call) {
    if (replacement_ && replacement_->first == id) {
        return notebook_.given(replacement_->second);
    }
    return call.operation->is_given() ? std::nullopt : notebook_.edited(call);
}

// Puts a new node in the place of the original one, with its name. Returns false for a different shape.
bool Replay::record(Place& place, std::size_t now) {
    const Node& node = *place.node;
    if (!node.name.empty() && notebook_.nodes()[now].name != node.name) {
        now = notebook_.as(node.role, node.name, {&notebook_, now}).id;
    }
    place.now = now;
    const Node& made = notebook_.nodes()[now];
    const Operation& operation = *node.call.operation;
    place.has_changed = !operation.is_tensor() || !identical(made.value, node.value);
    // A stage continues in the same way whatever shape layers and weights have.
    const bool is_weight = operation.is_parameter() || made.call.operation->is_parameter();
    return is_weight || made.value.shape() == node.value.shape();
}

// Returns the node itself, or a copy if its operands have moved.
const Nodes::Shared& Replay::moved(Place& place) {
    const auto stays = [this](std::size_t input) { return places_[input].now == input; };
    if (std::ranges::all_of(place.call().inputs, stays)) {
        return place.node;
    }
    if (!place.moved) {
        place.moved = std::make_shared<Node>(*place.node);
    }
    point_operands(place, *place.moved);
    return place.moved;
}

void Replay::take_over(Place& place, const Nodes::Shared& node) {
    if (place.changes_draws()) {
        notebook_.set_draws(place.after);
    }
    place.now = notebook_.share(node).id;
    place.has_changed = false;
}

std::size_t Replay::evaluate(Place& place) {
    if (!place.evaluated) {
        place.evaluated = std::make_shared<Node>();
        place.evaluated->call = place.call();
        place.evaluated->name = place.node->name;
        place.evaluated->role = place.node->role;
    }
    point_operands(place, *place.evaluated);
    return notebook_.evaluate(place.evaluated).id;
}

void Replay::point_operands(const Place& place, Node& copy) const {
    std::ranges::transform(place.call().inputs, copy.call.inputs.begin(),
                           [this](std::size_t input) { return *places_[input].now; });
}

const Tensor* Replay::changed(std::size_t wanted) const {
    const Place& place = places_[wanted];
    return place.has_changed ? &notebook_.nodes()[*place.now].value : nullptr;
}

}  // namespace attn
