// A notebook evaluates each operation immediately, and records the call and its result. A call with a name
// becomes a line of code; a call that is shown becomes a step.
#pragma once

#include <concepts>
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

// Returns the node that replaces a call, or nothing if the call stays. It may record new calls; these are not
// edited.
using Rewriting = std::function<std::optional<Var>(Notebook&, const Call&)>;

// An edit of a walk. It may count calls or remember nodes, so each walk begins with a copy of its own.
class Edit {
public:
    Edit() = default;
    template <std::convertible_to<Rewriting> Rewrite>
    Edit(Rewrite rewrite) : rewriting_(std::move(rewrite)) {}

    explicit operator bool() const { return static_cast<bool>(rewriting_); }
    Rewriting begin() const { return rewriting_; }

private:
    Rewriting rewriting_;
};

class Notebook {
public:
    Notebook() = default;
    // Creates a notebook that edits every call before evaluating it. If several edits return a node, the
    // first one counts.
    explicit Notebook(const std::vector<Edit>& edits) { restart(edits); }

    // Evaluates the operation and records the call. All Vars must belong to this notebook.
    Var record(const Operation& operation, const std::vector<Var>& inputs, Attributes attributes = {});

    // Records a tensor of given numbers.
    Var given(Tensor value);

    // These give a node its name and role, and return it. If an edit replaced the call by a node with a name,
    // a new node gets the name.
    Var as(Role role, const Name& name, Var node);
    Var setup(const Name& name, Var node) { return as(Role::setup, name, node); }
    Var line(const Name& name, Var node) { return as(Role::line, name, node); }
    Var step(const Name& name, Var node) { return as(Role::step, name, node); }

    // Marks a step that shows a mistake on purpose, with the mistake's id. Returns the step.
    Var shows(std::string_view mistake, Var step);

    // Names a gradient after its tensor, X_grad for X, and returns it. The gradient becomes a step if X is a
    // step, a leaf or part of the setup, otherwise a line. If X has no name, it gets none either.
    Var gradient(Var of, Var grad);

    // Turns gradients for new calls on or off, like torch.set_grad_enabled(is_enabled).
    void set_grad_enabled(bool is_enabled) { grad_enabled_ = is_enabled; }

    // Records a line such as `d_out = 2`, and returns the number; code writes it by its name.
    Number line(const Name& name, const Number& number);

    // Replaces a number of a named node, as `x[0, 1] = 0.5` after the line that makes x. Results that were
    // already computed from x stay, so call this as soon as watch_names() reports x.
    void set(Var node, std::size_t offset, float value);

    // Labels the positions along an axis, for example `query` with the tokens.
    void label(std::string_view axis, std::vector<std::string> labels);
    // Returns the label of a position; null if there is none.
    const std::string* label(std::string_view axis, std::size_t place) const;
    const std::vector<std::string>& labels(std::string_view axis) const;

    // The function is called with each step's name after the step was recorded.
    using Watcher = std::function<void(std::string_view step)>;
    void watch(Watcher watcher) { watcher_ = std::move(watcher); }

    // The function is called with each named node before the node is used.
    using NameWatcher = std::function<void(Var named)>;
    void watch_names(NameWatcher watcher) { name_watcher_ = std::move(watcher); }

    const Nodes& nodes() const { return nodes_; }
    bool is_edited() const { return !edits_.empty(); }
    // Returns true if set() replaced a number.
    bool has_set_numbers() const;
    // Returns the tensors that a call got as operands.
    std::vector<const Tensor*> operands(const Call& call) const;

    // For Replay: restart() removes all nodes, and edited() returns the result that replaces a call.
    // evaluate() adds a node after computing its result, and share() a node that has one.
    void restart(const std::vector<Edit>& edits);
    std::optional<Var> edited(const Call& call);
    Var evaluate(Nodes::Shared node);
    Var share(Nodes::Shared node) { return {this, nodes_.add(std::move(node))}; }
    // The state of the generator. A shared node does not change it.
    Draws draws() const {
        return behind_.value_or(Draws{generator_.seed(), generator_.drawn(), generator_.pending()});
    }
    void set_draws(const Draws& draws) { behind_ = draws; }

private:
    Var assign(const Name& name, Var node, Role role);

    struct EditInUse {
        Rewriting rewrite;
        bool in_use = false;
    };

    std::vector<EditInUse> edits_;
    Watcher watcher_;
    NameWatcher name_watcher_;
    Nodes nodes_;
    // The labels of the positions, by axis.
    std::map<std::string, std::vector<std::string>, std::less<>> labels_;
    Generator generator_{0};
    std::optional<Draws> behind_;  // the generator gets this state before the next draw
    std::size_t count_ = 0;        // how many elements all tensors have together
    bool grad_enabled_ = true;
};

// x.shape[axis], which formulas write as `letter`.
Number extent(Var x, int axis, std::string_view letter);

// √d_k, by which scores are divided. keys.shape[-1]**0.5
Number root_dk(Var keys);

template <std::same_as<Var>... Operands>
Var Operation::operator()(Var first, Operands... others) const {
    return (*this)(std::vector{first, others...});
}

inline const Tensor& Var::value() const {
    return notebook->nodes()[id].value;
}

}  // namespace attn
