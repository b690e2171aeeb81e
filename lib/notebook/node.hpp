// A node of a notebook: a call, the tensor it was evaluated to, and what became of it.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/operation.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// How a node is shown.
enum class Role {
    inlined,  // written out where it is used
    setup,    // a line of its own, before the first step
    line,     // a line of its own, in the step that follows
    step,     // a line of its own, and its tensor is shown
};

// The meanings of a tensor's axes, outermost first.
using Axes = std::vector<std::string>;

// The name that a stage gives a node.
struct Name {
    Name(const char* in_code) : text(in_code) {}
    Name(std::string in_code) : text(std::move(in_code)) {}
    Name(std::string in_code, std::string in_formulas, Axes counting = {})
        : text(std::move(in_code)), letter(std::move(in_formulas)), axes(std::move(counting)) {}

    std::string text;  // in code
    std::string
        letter;  // in formulas: what follows a _ is an index, # the number in the name; none: the name
    Axes axes;   // the last ones; those in front of them are the batch and the head
};

// A number of a tensor that another stands for.
struct Replaced {
    std::size_t offset;
    float before;
};

struct Node {
    Call call;
    Tensor value;
    std::string name;  // empty: inlined
    Expr symbol;       // its letter in formulas
    Role role = Role::inlined;
    bool requires_grad = false;
    std::string_view grad_fn;  // autograd's function; empty for a leaf and where nothing requires a gradient
    Axes axes;                 // of one with a name
    std::optional<std::size_t> gradient_of;  // the node whose gradient it is
    std::string_view shows;                  // of a step: the id of the mistake it shows on purpose
    std::vector<Replaced> set;               // numbers that were set after it was evaluated, in order

    bool is_leaf() const { return grad_fn.empty(); }
};

// The nodes of a notebook, in the order in which they were recorded. Recording other nodes does not move a
// node in memory. A notebook may share nodes of an earlier notebook, and does not change them.
class Nodes {
public:
    using Shared = std::shared_ptr<Node>;

    class Iterator {
    public:
        using value_type = Node;
        using difference_type = std::ptrdiff_t;
        using reference = const Node&;
        using pointer = const Node*;
        using iterator_category = std::forward_iterator_tag;

        Iterator() = default;
        explicit Iterator(std::vector<Shared>::const_iterator at) : at_(at) {}

        const Node& operator*() const { return **at_; }
        const Node* operator->() const { return at_->get(); }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return Iterator(at_++); }
        bool operator==(const Iterator&) const = default;
        friend std::ptrdiff_t operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }

    private:
        std::vector<Shared>::const_iterator at_;
    };

    std::size_t size() const { return all_.size(); }
    const Node& operator[](std::size_t id) const { return *all_[id]; }
    Iterator begin() const { return Iterator(all_.begin()); }
    Iterator end() const { return Iterator(all_.end()); }

    const Shared& shared(std::size_t id) const { return all_[id]; }
    // Returns its id.
    std::size_t add(Shared node) {
        all_.push_back(std::move(node));
        return all_.size() - 1;
    }
    // To be changed: a copy of it, where it is another notebook's as well.
    Node& own(std::size_t id) {
        if (all_[id].use_count() > 1) {
            all_[id] = std::make_shared<Node>(*all_[id]);
        }
        return *all_[id];
    }
    void keep_first(std::size_t count) { all_.resize(count); }

private:
    std::vector<Shared> all_;
};

}  // namespace attn
