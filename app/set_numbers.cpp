#include "set_numbers.hpp"

#include <cmath>

#include "answers/only_tensor.hpp"
#include "files/system.hpp"
#include "notebook/render.hpp"
#include "tensor/error.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "views/explain/cell_address.hpp"

namespace attn {

namespace {

// The named tensors that a node is computed from.
std::vector<std::string_view> sources_of(const Notebook& notebook, std::size_t id) {
    std::vector<std::string_view> names;
    for (const std::size_t operand : named_operands(notebook, id)) {
        const Node& node = notebook.nodes()[operand];
        if (node.call.operation->is_tensor()) {
            names.push_back(node.name);
        }
    }
    return names;
}

[[noreturn]] void refuse(const std::string& text) {
    throw Error(
        "--set: expected a cell and a finite number such as inputs[1][0]=0.5, or a tensor and a file such as "
        "mask=mask.npy, but received {}.",
        in_quotes(text))
        .correcting(text, "inputs[1][0]=0.5");
}

}  // namespace

SetNumbers::SetNumbers(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        const std::size_t sign = text.rfind('=');  // the last =, because a token may contain a =
        if (sign == std::string::npos) {
            refuse(text);
        }
        const std::string digits = text.substr(sign + 1);
        const std::string address = text.substr(0, sign);
        double value = 0.0;
        const bool is_number = read_double(digits, value) == digits.size();
        if (!digits.empty() && !contains(address, '[') && (!is_number || kind_of(digits) != FileKind::none)) {
            all_.push_back({address, address, 0.0F, only_tensor(digits), digits});
            continue;
        }
        const auto number = float(value);
        if (digits.empty() || !is_number || !std::isfinite(number)) {
            refuse(text);
        }
        try {
            all_.push_back({address, name_in(address), number});
        } catch (const Error&) {
            refuse(text);
        }
    }
}

void SetNumbers::set(Var named) {
    Notebook& notebook = *named.notebook;
    const Node& node = notebook.nodes()[named.id];
    if (!node.call.operation->is_tensor()) {
        return;
    }
    for (One& one : all_) {
        if (one.name != node.name) {
            continue;
        }
        try {
            if (const std::vector<std::string_view> sources = sources_of(notebook, named.id);
                !sources.empty()) {
                throw Error("{} is computed from {}; set a number of the inputs, weights or masks instead.",
                            node.name, joined(sources));
            }
            if (!one.all) {
                const Index index = find_index(notebook, named.id, one.address);
                notebook.set(named, node.value.offset(index), one.value);
            } else if (one.all->shape() != node.value.shape()) {
                throw Error("{}: expected shape {} but received {}.", printable(one.file),
                            node.value.shape().text(), one.all->shape().text());
            }
            for (std::size_t i = 0; one.all && i < node.value.count(); ++i) {
                notebook.set(named, i, one.all->values()[i]);
            }
        } catch (const Error& error) {
            throw Error("--set: {}", error.message());
        }
        one.used = true;
    }
}

void SetNumbers::require_all_used(const std::vector<StageTrace>& stages) const {
    for (const One& one : all_) {
        if (one.used) {
            continue;
        }
        try {
            find_cell(stages.front(), one.address);
        } catch (const Error& error) {
            throw Error("--set: {}", error.message());
        }
    }
}

}  // namespace attn
