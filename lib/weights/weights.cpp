#include "weights/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "weights/attention_modules.hpp"
#include "weights/checkpoint.hpp"
#include "weights/state_dict.hpp"

namespace attn {

std::unique_ptr<GivenWeights> Weights::for_stage(const Stage& stage) const {
    const std::vector<Module> modules = find_modules(*file_, selection_);
    if (!modules.empty()) {
        return cut_out(*file_, choose_module(*file_, modules, selection_), selection_, stage);
    }
    if (selection_.any()) {
        constexpr std::size_t most_names = 12;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < std::min(file_->entries().size(), most_names); ++i) {
            names.push_back(printable(file_->entries()[i].name));
        }
        throw Error(
            "{}: there is nothing to pick a layer or head from: no tensor is called c_attn.weight, "
            "q_proj.weight or W_query.weight. It has {}{}.",
            printable(file_->origin()), fmt::format("{}", fmt::join(names, ", ")),
            file_->entries().size() > most_names ? ", …" : "");
    }
    return std::make_unique<StateDict>(file_);
}

}  // namespace attn
