// Evaluates, records and names calls.
#include "notebook/notebook.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "notebook/ops/layout.hpp"
#include "notebook/ops/sources.hpp"
#include "tensor/error.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

// The limit for all tensors of a notebook together. It is four times the limit of one tensor, and low enough
// that machines do not swap.
constexpr std::size_t most_numbers_of_walk = std::size_t{1} << 30;

// Returns the symbol of a name. Without one, a name such as d_in becomes a letter with an index, and any
// other name is set as one word.
Expr symbol_of(const Name& name) {
    if (name.letter.empty() && !name.text.substr(1).starts_with('_')) {
        return letter(name.text);
    }
    return symbol(name.letter.empty() ? name.text : name.letter);
}

Axes axes_of(const Name& name, std::size_t rank) {
    Axes axes{"batch", "head", "row", "column"};
    if (!name.axes.empty()) {
        axes.resize(2);
        axes.insert(axes.end(), name.axes.begin(), name.axes.end());
    }
    if (rank == 3 && axes.size() == 4) {
        axes.erase(axes.begin() + 1);  // the tensor has a batch axis, but no head axis
    }
    axes.erase(axes.begin(), axes.end() - std::ptrdiff_t(rank));
    return axes;
}

// Returns ∂W_q for W_q.
Expr derivative(const Expr& of) {
    return of.op == Operator::subscript ? subscript(derivative(of.parts[0]), of.parts[1])
                                        : letter("∂" + of.leaf.text());
}

}  // namespace

void Notebook::restart(const std::vector<Edit>& edits) {
    nodes_.clear();
    edits_ = mapped(edits, [](const Edit& edit) { return EditInUse{edit.begin()}; });
    count_ = 0;
    behind_ = Draws{};
}

std::optional<Var> Notebook::edited(const Call& call) {
    for (EditInUse& one : edits_) {
        if (one.in_use) {
            continue;
        }
        one.in_use = true;
        const std::optional<Var> instead = one.rewrite(*this, call);
        one.in_use = false;
        if (instead) {
            return instead;
        }
    }
    return std::nullopt;
}

void Notebook::label(std::string_view axis, std::vector<std::string> labels) {
    labels_.insert_or_assign(std::string(axis), std::move(labels));
}

const std::string* Notebook::label(std::string_view axis, std::size_t place) const {
    const std::vector<std::string>& all = labels(axis);
    return place < all.size() ? &all[place] : nullptr;
}

const std::vector<std::string>& Notebook::labels(std::string_view axis) const {
    static const std::vector<std::string> none;
    const auto found = labels_.find(axis);
    return found == labels_.end() ? none : found->second;
}

std::vector<const Tensor*> Notebook::operands(const Call& call) const {
    return mapped(call.inputs, [this](std::size_t input) { return &nodes_[input].value; });
}

Var Notebook::record(const Operation& operation, const std::vector<Var>& inputs, Attributes attributes) {
    const auto made = std::make_shared<Node>();
    Node& node = *made;
    node.call = {&operation, {}, std::move(attributes), draws()};
    const Number* const asked = node.call.find("requires_grad");
    const bool is_trained = asked == nullptr ? operation.trained != Trained::no : asked->value() != 0.0;
    node.requires_grad = is_trained;
    for (const Var& input : inputs) {
        if (input.notebook != this) {
            throw std::logic_error("an operand of another notebook");
        }
        node.call.inputs.push_back(input.id);
        node.requires_grad = node.requires_grad || (grad_enabled_ && nodes_[input.id].requires_grad);
    }
    if (const std::optional<Var> instead = edited(node.call)) {
        return *instead;
    }
    if (node.requires_grad) {
        if (const auto own = operation.autograd_name({node.call, operands(node.call)})) {
            node.grad_fn = *own;
            // A parameter or a comparison has no function, because it passes no gradient.
            node.requires_grad = is_trained || !own->empty();
        } else {
            node.grad_fn = nodes_[node.call.inputs[0]].grad_fn;
        }
    }
    return evaluate(made);
}

Var Notebook::evaluate(Nodes::Shared node) {
    const Operation& operation = *node->call.operation;
    if (behind_ && operation.draws) {
        generator_ = Generator(behind_->seed);
        generator_.discard(behind_->drawn);
        generator_.set_pending(behind_->pending);
        behind_.reset();
    }
    node->value = operation.evaluate({node->call, operands(node->call), &generator_});
    if (operation.seeds()) {
        behind_.reset();
    }
    count_ += node->value.count();
    if (count_ > most_numbers_of_walk) {
        throw Error("The tensors of this run have too many numbers together; at most {} (4 GiB) fit.",
                    most_numbers_of_walk);
    }
    return share(std::move(node));
}

Var Notebook::given(Tensor value) {
    const auto node = std::make_shared<Node>();
    node->call.operation = &given_op;
    node->value = std::move(value);
    return share(node);
}

Var Notebook::assign(const Name& name, Var node, Role role) {
    if (node.notebook != this) {
        throw std::logic_error("a name for a node of another notebook");
    }
    if (!nodes_[node.id].name.empty()) {
        if (!is_edited()) {
            throw std::logic_error("a second name for " + nodes_[node.id].name);
        }
        node = alias_op(node);
    }
    Node& named = nodes_.own(node.id);
    named.name = name.text;
    named.symbol = symbol_of(name);
    named.axes = axes_of(name, named.value.rank());
    named.role = role;
    return node;
}

void Notebook::set(Var node, std::size_t offset, float value) {
    Node& named = nodes_.own(node.id);
    float& number = named.value.values()[offset];
    if (!contains(named.set, offset, &Replaced::offset)) {
        named.set.push_back({offset, number});
    }
    number = value;
}

bool Notebook::has_set_numbers() const {
    return std::ranges::any_of(nodes_, [](const Node& node) { return !node.set.empty(); });
}

Var Notebook::as(Role role, const Name& name, Var node) {
    node = assign(name, node, role);
    if (name_watcher_) {
        name_watcher_(node);
    }
    if (watcher_ && role == Role::step) {
        watcher_(name.text);
    }
    return node;
}

Var Notebook::shows(std::string_view mistake, Var step) {
    nodes_.own(step.id).shows = mistake;
    return step;
}

Var Notebook::gradient(Var of, Var grad) {
    const Node& node = nodes_[of.id];
    if (node.name.empty()) {
        return grad;
    }
    if (!nodes_[grad.id].name.empty()) {  // the gradient is a tensor that already has a name
        return gradient(of, alias_op(grad));
    }
    const Name name{node.name + "_grad", "", node.axes};
    const bool is_line = node.role == Role::line && !node.is_leaf();
    const Var named = as(is_line ? Role::line : Role::step, name, grad);
    Node& own = nodes_.own(named.id);
    own.symbol = derivative(node.symbol);
    own.gradient_of = of.id;
    return named;
}

Number Notebook::line(const Name& name, const Number& number) {
    const Var node = assign(name, scalar(*this, number), Role::line);
    return named(number.value(), name.text, nodes_[node.id].symbol, node.id);
}

Number extent(Var x, int axis, std::string_view letter) {
    const std::string& name = x.notebook->nodes()[x.id].name;
    const std::string python = fmt::format("{}.shape[{}]", name, axis);
    return named({Leaf::From::number, double(x.value().size(axis))},
                 {{python, python, fmt::format("{}.size({})", name, axis)}, symbol(letter), x.id});
}

Number root_dk(Var keys) {
    return root(extent(keys, -1, "d_k"));
}

Var Operation::operator()(const std::vector<Var>& operands, Attributes attributes) const {
    return operands.at(0).notebook->record(*this, operands, std::move(attributes));
}

}  // namespace attn
