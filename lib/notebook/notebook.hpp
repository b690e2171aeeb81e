// The notebook evaluates each operation at once, and records the call with its tensor. A named call is a line
// of code, and a shown one is a step.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/node.hpp"
#include "notebook/operation.hpp"

namespace attn {

class Notebook;

// Refers to a node of a notebook; stages compute with it.
struct Var {
    Notebook* notebook;
    std::size_t id;

    const Tensor& value() const;
};

// Returns the node that replaces a call, or nothing if the call stays. An edit may record calls, which are
// not edited themselves.
using Edit = std::function<std::optional<Var>(Notebook&, const Call&)>;

class Notebook {
public:
    Notebook() = default;
    // Creates a notebook in which every call is edited before it is evaluated. The first edit that returns a
    // node decides.
    explicit Notebook(std::vector<Edit> edits);

    // Evaluates the operation and records the call. All Vars must belong to this notebook.
    Var record(const Operation& operation, const std::vector<Var>& inputs, Attributes attributes = {});

    // Records numbers that come from outside.
    Var given(Tensor value);

    // Give a node its name and role, and return it. If an edit replaced the call by a node that already has a
    // name, a new node gets this name.
    Var setup(const Name& name, Var node) { return told(assign(name, node, Role::setup)); }
    Var line(const Name& name, Var node) { return told(assign(name, node, Role::line)); }
    Var step(const Name& name, Var node);

    // Marks a step that deliberately shows a mistake, by the mistake's permanent id. Returns the step.
    Var shows(std::string_view mistake, Var step);

    // Names the gradient of X X_grad, and returns it. It is a step if X is a step, a leaf or part of the
    // setup, and otherwise a line. The gradient of a nameless node stays nameless.
    Var gradient(Var of, Var grad);

    // Sets whether new calls can require a gradient. torch.set_grad_enabled(is_enabled)
    void set_grad_enabled(bool is_enabled) { grad_enabled_ = is_enabled; }

    // Records a named number, as in `d_out = 2`, and returns a number that is written as that name.
    Number line(const Name& name, const Number& number);

    // Replaces a number of a named node, as `x[0, 1] = 0.5` after the line that makes x. Earlier results are
    // not computed again, so this must be called as soon as watch_names() reports x.
    void set(Var node, std::size_t offset, float value);

    // Labels the places of an axis, for example with the tokens of `query`.
    void label(std::string_view axis, std::vector<std::string> labels);
    // Returns the label of a place, or null if the axis or the place has none.
    const std::string* label(std::string_view axis, std::size_t place) const;
    const std::vector<std::string>& labels(std::string_view axis) const;

    // Is called with the name of each step, after the step was recorded.
    using Watcher = std::function<void(std::string_view step)>;
    void watch(Watcher watcher) { watcher_ = std::move(watcher); }

    // Is called with each named node before anything is computed from it.
    using NameWatcher = std::function<void(Var named)>;
    void watch_names(NameWatcher watcher) { name_watcher_ = std::move(watcher); }

    const Nodes& nodes() const { return nodes_; }
    bool is_edited() const { return !edits_.empty(); }
    // Returns the tensors on which a call was evaluated.
    std::vector<const Tensor*> operands(const Call& call) const;

private:
    friend class Replay;

    Var assign(const Name& name, Var node, Role role);
    Var told(Var named) const;
    std::optional<Var> edited(const Call& call);
    Var evaluate(Nodes::Shared node);
    Draws draws() const {
        return behind_.value_or(Draws{generator_.seed(), generator_.drawn(), generator_.pending()});
    }

    struct EditInUse {
        Edit edit;
        bool in_use = false;
    };

    std::vector<EditInUse> edits_;
    Watcher watcher_;
    NameWatcher name_watcher_;
    Nodes nodes_;
    // For each axis, the labels of its places.
    std::map<std::string, std::vector<std::string>, std::less<>> labels_;
    Generator generator_{0};
    std::optional<Draws> behind_;  // the state to set the generator to before the next draw
    std::size_t count_ = 0;        // the number of elements of all tensors together
    bool grad_enabled_ = true;
};

// Record a call on nodes of one notebook; there must be at least one node.
Var record(const Operation& operation, const std::vector<Var>& inputs, Attributes attributes = {});

// x.shape[axis], which formulas write as `letter`.
Number extent(Var x, int axis, std::string_view letter);

// √d_k, by which scores are divided. keys.shape[-1]**0.5
Number root_dk(Var keys);

inline const Tensor& Var::value() const {
    return notebook->nodes()[id].value;
}

}  // namespace attn
