#include "diagnosis/general_edits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "diagnosis/bits.hpp"
#include "diagnosis/mistakes/patterns.hpp"
#include "notebook/ops.hpp"

namespace attn {

using namespace patterns;

namespace {

// Returns the name with its numbers replaced by #. The heads of a stage have names that differ in these.
std::string family(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit || !text.ends_with('#')) {
            text += is_digit ? '#' : c;
        }
    }
    return text;
}

// Returns the call as code, with families instead of names. The same line of all heads has the same text, and
// a mistake in this line changes all heads.
std::string text_of(const Notebook& notebook, const Call& call) {
    std::string text(call.operation->name);
    for (const std::size_t input : call.inputs) {
        const Node& operand = notebook.nodes()[input];
        text += '(' + (operand.name.empty() ? text_of(notebook, operand.call) : family(operand.name)) + ')';
    }
    return text;
}

// Returns the last tensor of a family that has the shape of `x`, preferably that of the same head.
MaybeVar counterpart(Var x, const std::string& wanted) {
    const auto number_in = [](std::string_view name) {
        const std::size_t first = std::min(name.find_first_of("0123456789"), name.size());
        return name.substr(first, name.find_first_not_of("0123456789", first) - first);
    };
    const Nodes& nodes = x.notebook->nodes();
    MaybeVar found;
    for (std::size_t id = nodes.size(); id-- > 0;) {
        const Node& node = nodes[id];
        if (!node.name.empty() && family(node.name) == wanted && node.value.shape() == x.value().shape()) {
            const Var other{x.notebook, id};
            if (number_in(node.name) == number_in(name_of(original(x)))) {
                return other;
            }
            found = found ? found : other;
        }
    }
    return found;
}

bool is_tensor(const Node& node) {
    return node.call.operation->is_tensor();
}

bool is_square(const Tensor& x) {
    return x.rank() > 1 && x.size(-1) == x.size(-2);
}

// Operations that the stages do not have.
template <float (*function)(float)>
Tensor each_number(const Arguments& x) {
    Tensor y = x[0];
    std::ranges::transform(y.values(), y.values().begin(), function);
    return y;
}
float whole_part(float x) {
    return std::trunc(x);
}
float rounded_to_tenths(float x) {
    return std::nearbyint(x * 10.0F) / 10.0F;
}
const Operation int_op{.name = "int", .evaluate = each_number<whole_part>, .torch = "{0}.int()"};
const Operation round_to_tenths_op{
    .name = "round", .evaluate = each_number<rounded_to_tenths>, .torch = "{0}.round(decimals=1)"};

bool sums_rows(const Call& call) {
    return call.operation->name == "sum" && call.has("dim") && call.value("dim") == -1.0;
}

class Edits {
public:
    explicit Edits(const Notebook& right) : right_(&right) {
        for (std::size_t id = 0; id < nodes().size(); ++id) {
            const Node& node = nodes()[id];
            const bool is_first = sites_.insert(text_of(right, node.call)).second;
            if (is_first && is_tensor(node) && !node.call.inputs.empty() &&
                node.call.operation != &alias_op && !node.call.operation->is_parameter()) {
                edit(id);
            }
        }
        const double bits = bits_for(static_cast<double>(all_.size()));
        for (WalkEdit& one : all_) {
            one.bits += bits;
        }
    }

    std::vector<WalkEdit> take() { return std::move(all_); }

private:
    const Nodes& nodes() const { return right_->nodes(); }

    void edit(std::size_t id) {
        const Call& call = nodes()[id].call;
        for (std::size_t i = 0; i < call.inputs.size(); ++i) {
            if (is_tensor(nodes()[call.inputs[i]])) {
                replace_operand(id, i);
                leave_out(id, i);
            }
        }
        exchange_operands(id);
        for (const Attribute& attribute : call.attributes) {
            if (attribute.values.size() == 1) {
                change(id, attribute.name, attribute.values[0].value());
            }
        }
        change_operation(id);
        add_operation(id);
    }

    void add(std::string_view mistake, std::size_t id, Verb verb) {
        const Call& call = nodes()[id].call;
        const Edit edit =
            at([operation = call.operation, text = text_of(*right_, call)](
                   const At& c) { return c.is(*operation) && text_of(c.notebook, c.call) == text; },
               std::move(verb));
        const Mistake* const kind = find_mistake(mistake);
        all_.push_back({edit, {}, kind, kind->bits, id});
    }

    void replace_operand(std::size_t id, std::size_t position) {
        const auto with = [&](Var (*turn)(Var), const std::string& wanted) {
            add("other-operand", id, [=](const At& c) {
                std::vector<Var> operands = c.operands();
                const MaybeVar other =
                    turn != nullptr ? turn(operands[position]) : counterpart(operands[position], wanted);
                operands[position] = other.value_or(operands[position]);
                return other ? c.again(operands) : none;
            });
        };
        const Tensor& right = nodes()[nodes()[id].call.inputs[position]].value;
        std::vector<const Tensor*> tried{&right};
        for (std::size_t other = 0; other < id; ++other) {
            const Node& node = nodes()[other];
            const auto is_known = [&](const Tensor* known) { return identical(*known, node.value); };
            if (!node.name.empty() && is_tensor(node) && node.value.shape() == right.shape() &&
                std::ranges::none_of(tried, is_known)) {
                tried.push_back(&node.value);
                with(nullptr, family(node.name));
            }
        }
        if (is_square(right)) {
            with(matrix_transpose, "");
        }
    }

    void leave_out(std::size_t id, std::size_t position) {
        const Tensor& left = nodes()[nodes()[id].call.inputs[position]].value;
        if (left.shape() == nodes()[id].value.shape() && !identical(left, nodes()[id].value)) {
            add("call-left-out", id, [position](const At& c) { return c.operand(position); });
        }
    }

    void exchange_operands(std::size_t id) {
        const std::vector<std::size_t>& inputs = nodes()[id].call.inputs;
        if (inputs.size() == 2 && inputs[0] != inputs[1] && is_tensor(nodes()[inputs[0]]) &&
            is_tensor(nodes()[inputs[1]]) &&
            nodes()[inputs[0]].value.shape() == nodes()[inputs[1]].value.shape()) {
            add("other-operand", id, [](const At& c) { return c.again({c.operand(1), c.operand(0)}); });
        }
    }

    void change(std::size_t id, std::string_view name, double right) {
        std::vector<Number> others;
        const Node& node = nodes()[id];
        const auto rank = static_cast<int>(nodes()[node.call.inputs[0]].value.rank());
        if (name == "dim") {
            for (int dim = 0; dim < rank; ++dim) {
                if (dim != static_cast<int>(right) && dim != static_cast<int>(right) + rank) {
                    others.push_back(literal(dim));
                }
            }
        } else if (name == "diagonal") {
            for (const int away : {-1, 1, -2, 2}) {
                others.push_back(literal(static_cast<int>(right) + away));
            }
        } else if (name == "p") {
            for (const double p : {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
                others.push_back(literal(p));
            }
        } else if (name == "value") {
            others = node.call.operation == &masked_fill_op ? fills() : factors(right);
        }
        std::erase_if(others, [right](const Number& other) { return other.value() == right; });
        for (const Number& other : others) {
            add("other-number", id, [name, other](const At& c) { return c.with(name, other); });
        }
    }

    static std::vector<Number> fills() {
        const double infinity = std::numeric_limits<double>::infinity();
        return {literal(0), literal(1), literal(-1), literal(-1e9), written(infinity, "torch.inf")};
    }

    // Numbers that could be written instead of a factor: the sizes of the walk's tensors, their roots, and a
    // few others.
    std::vector<Number> factors(double right) const {
        std::vector<Number> all{literal(2), literal(0.5), literal(10), literal(0.1), literal(right * right)};
        std::set<std::size_t> sizes;
        for (const Node& node : nodes()) {
            for (const std::size_t size : node.value.shape()) {
                sizes.insert(size);
            }
        }
        for (const std::size_t size : sizes) {
            all.push_back(literal(size));
            all.push_back(float_root(literal(size)));
            all.push_back(literal(size * size));
            all.push_back(literal(1.0 / static_cast<double>(size)));
        }
        return all;
    }

    void change_operation(std::size_t id) {
        const Call& call = nodes()[id].call;
        const auto with = [&](Var (*other)(const At& c)) { add("other-operation", id, other); };
        const std::string_view name = call.operation->name;
        if (call.operation == &tril_op || call.operation == &triu_op) {
            with([](const At& c) { return c.is(tril_op) ? triu(c.operand(), 0) : tril(c.operand()); });
            with([](const At& c) {
                return c.is(tril_op) ? triu(c.operand(), 1) : tril(c.operand(), literal(-1));
            });
            if (!call.has("diagonal")) {
                with([](const At& c) { return tril(c.operand(), literal(-1)); });
                with([](const At& c) { return tril(c.operand(), literal(1)); });
            }
        } else if (call.inputs.size() == 2 && (name == "add" || name == "sub" || name == "mul" ||
                                               name == "div" || call.operation == &matmul_op)) {
            with([](const At& c) { return c.operand(0) + c.operand(1); });
            with([](const At& c) { return c.operand(0) - c.operand(1); });
            with([](const At& c) { return c.operand(0) * c.operand(1); });
            with([](const At& c) { return c.operand(0) / c.operand(1); });
        } else if (call.operation == &div_scalar_op) {
            with([](const At& c) { return c.operand() * c.call.number("value"); });
        } else if (name == "mul") {
            with([](const At& c) { return c.operand() / c.call.number("value"); });
        } else if (sums_rows(call)) {
            with([](const At& c) { return amax(c.operand(), -1, c.call.has("keepdim")); });
            with([](const At& c) { return c.again() / literal(c.operand().value().size(-1)); });
            with([](const At& c) { return sqrt(c.again(c.operand() * c.operand())); });
        }
    }

    // Applies a further operation to the result of a call that computes numbers.
    void add_operation(std::size_t id) {
        const Node& node = nodes()[id];
        const Operation& operation = *node.call.operation;
        const bool computes = &operation == &matmul_op || operation.name == "softmax" ||
                              operation.name == "div" || operation.name == "mul" || sums_rows(node.call);
        if (!computes || node.value.rank() == 0) {
            return;
        }
        const auto with = [&](Var (*further)(Var)) {
            add("other-operation", id, [further](const At& c) { return further(c.again()); });
        };
        with(relu);
        with([](Var x) { return int_op(x); });
        with([](Var x) { return round_to_tenths_op(x); });
        with([](Var x) { return x * x; });
        with(exp);
        with(abs);
        if (is_square(node.value)) {
            with(tril);
        }
    }

    const Notebook* right_;
    std::set<std::string> sites_;
    std::vector<WalkEdit> all_;
};

}  // namespace

std::vector<WalkEdit> general_edits(const Notebook& right) {
    return Edits(right).take();
}

}  // namespace attn
