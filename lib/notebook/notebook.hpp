// The notebook: eager and recorded. Evaluating an operation computes its tensor at once and keeps the call
// beside it. A named call is a line of code, and a shown one is a step.
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

// A node of a notebook, as a stage's code holds it.
struct Var {
    Notebook* notebook;
    std::size_t id;

    const Tensor& value() const;
};

// The replacement of a call: the node that stands for it, or nothing where the call stays as it is. It may
// record calls of its own, which it is not asked about.
using Edit = std::function<std::optional<Var>(Notebook&, const Call&)>;

class Notebook {
public:
    Notebook() = default;
    // A notebook in which every call is edited before it is evaluated; the first edit that applies decides.
    explicit Notebook(std::vector<Edit> edits);

    // Evaluates the operation and records the call. Vars of another notebook are the caller's mistake.
    Var record(const Operation& operation, const std::vector<Var>& inputs, Attributes attributes = {});

    // Records numbers that come from outside, as they are.
    Var given(Tensor value);

    // Gives a node its name and role, and returns it. Where an edit left a node that has a name already, the
    // name goes to one beside it.
    Var setup(const Name& name, Var node) { return told(assign(name, node, Role::setup)); }
    Var line(const Name& name, Var node) { return told(assign(name, node, Role::line)); }
    Var step(const Name& name, Var node);

    // Says that a step shows a mistake on purpose, by the mistake's id, which lasts. Returns the step.
    Var shows(std::string_view mistake, Var step);

    // Names the gradient of X X_grad, and returns it. It is a step if X is a step, a leaf or part of the
    // set-up, and otherwise a line. A node without a name stays without.
    Var gradient(Var of, Var grad);

    // True if what is recorded from now on can require a gradient. torch.set_grad_enabled(is_enabled)
    void set_grad_enabled(bool is_enabled) { grad_enabled_ = is_enabled; }

    // A number under a name, as in `d_out = 2`; it then reads as that name.
    Number line(const Name& name, const Number& number);

    // Sets a number of a named node, as `x[0, 1] = 0.5` behind the line that makes x. Calls that were
    // computed from it before are not noticed, so watch_names() must come first.
    void set(Var node, std::size_t offset, float value);

    // Says what stands at the places of an axis, such as the tokens that `query` counts.
    void label(std::string_view axis, std::vector<std::string> labels);
    // None where the axis is not labelled; places beyond the labels have none either.
    const std::string* label(std::string_view axis, std::size_t place) const;
    const std::vector<std::string>& labels(std::string_view axis) const;

    // Is told the name of each step when it is there.
    using Watcher = std::function<void(std::string_view step)>;
    void watch(Watcher watcher) { watcher_ = std::move(watcher); }

    // Is told each node as soon as it has its name, before anything is computed from it.
    using NameWatcher = std::function<void(Var named)>;
    void watch_names(NameWatcher watcher) { name_watcher_ = std::move(watcher); }

    const Nodes& nodes() const { return nodes_; }
    bool is_edited() const { return !edits_.empty(); }
    // The tensors a call was evaluated on.
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
    std::map<std::string, std::vector<std::string>, std::less<>> labels_;  // by axis
    Generator generator_{0};
    std::optional<Draws> behind_;  // where the generator is taken to stand, and is put when it draws
    std::size_t count_ = 0;        // numbers in all tensors
    bool grad_enabled_ = true;
};

// Records a call on nodes of one notebook, of which there is at least one.
Var record(const Operation& operation, const std::vector<Var>& inputs, Attributes attributes = {});

// x.shape[axis]; a formula calls it `letter`.
Number extent(Var x, int axis, std::string_view letter);

// √d_k, what scores are divided by. keys.shape[-1]**0.5
Number root_dk(Var keys);

inline const Tensor& Var::value() const {
    return notebook->nodes()[id].value;
}

}  // namespace attn
