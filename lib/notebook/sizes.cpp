#include "notebook/sizes.hpp"

#include <fmt/format.h>

#include <cmath>

namespace attn {

Number extent(Var x, int axis, std::string_view letter) {
    const std::string& name = x.notebook->nodes()[x.id].name;
    const std::string python = fmt::format("{}.shape[{}]", name, axis);
    return {static_cast<double>(x.value().size(axis)),
            {python, python, fmt::format("{}.size({})", name, axis)},
            symbol(letter),
            {x.id}};
}

Number root_dk(Var keys) {
    Number number = extent(keys, -1, "d_k");
    number.value = std::sqrt(number.value);
    for (const Language language : {Language::torch, Language::numpy}) {
        number.reads[static_cast<std::size_t>(language)] += "**0.5";
    }
    std::string& cpp = number.reads[static_cast<std::size_t>(Language::cpp)];
    cpp = fmt::format("std::sqrt({})", cpp);
    number.formula = root(number.formula);
    return number;
}

}  // namespace attn
