#include "weights/attention_modules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

constexpr ProjectionNames known_names[] = {
    {{"c_attn", "c_attn", "c_attn"}, {"c_proj", "c_proj"}, true, true},
    {{"W_query", "W_key", "W_value"}, {"out_proj", "out_proj"}, false, true},
    {{"q_proj", "k_proj", "v_proj"}, {"o_proj", "out_proj"}},
};

// The 3 of "transformer.h.3.attn."
std::optional<std::size_t> last_number(std::string_view prefix) {
    std::optional<std::size_t> last;
    while (!prefix.empty()) {
        const std::string_view word = prefix.substr(0, prefix.find('.'));
        prefix.remove_prefix(std::min(prefix.size(), word.size() + 1));
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc() && end == word.data() + word.size()) {
            last = number;
        }
    }
    return last;
}

// "0 to 11", or each of them.
std::string list(const std::vector<Module>& modules) {
    std::vector<std::size_t> layers;
    bool consecutive = true;
    for (const Module& module : modules) {
        layers.push_back(module.layer.value_or(0));
        consecutive = consecutive && layers.back() == layers.front() + layers.size() - 1;
    }
    return consecutive && layers.size() > 1 ? fmt::format("{} to {}", layers.front(), layers.back())
                                            : fmt::format("{}", fmt::join(layers, ", "));
}

}  // namespace

std::vector<Module> find_modules(const TensorFile& file, const Selection& selection) {
    std::vector<Module> modules;
    for (const TensorEntry& entry : file.entries()) {
        for (const ProjectionNames& names : known_names) {
            const std::string query = std::string(names.parts[0]) + ".weight";
            if (entry.name != query && !entry.name.ends_with("." + query)) {
                continue;
            }
            const std::string prefix = entry.name.substr(0, entry.name.size() - query.size());
            const bool state_dict = names.parts[0] == "W_query" && prefix.empty() && !selection.any();
            if (!state_dict && !prefix.starts_with("heads.") && prefix.find("cross") == std::string::npos) {
                modules.push_back({&names, prefix, last_number(prefix)});
            }
        }
    }
    std::ranges::stable_sort(modules, {}, &Module::layer);
    return modules;
}

const Module& choose_module(const TensorFile& file, const std::vector<Module>& modules,
                            const Selection& selection) {
    const auto fail = [&](const Message& problem) {
        throw Error("{}: {}.", printable(file.origin()), problem);
    };
    if (!selection.layer) {
        if (modules.size() > 1) {
            fail(Message("holds several layers: pick one with `layer`; it has {}", printable(list(modules))));
        }
        return modules.front();
    }
    std::vector<const Module*> found;
    for (const Module& module : modules) {
        if (module.layer == selection.layer) {
            found.push_back(&module);
        }
    }
    if (found.empty()) {
        fail(modules.front().layer
                 ? Message("has no layer {}; its layers are {}", *selection.layer, printable(list(modules)))
                 : Message("holds one attention module and no layers; leave `layer` out"));
    }
    if (found.size() > 1) {
        fail(Message("has two layers {}, {} and {}; save the one you want by itself", *selection.layer,
                     printable(found[0]->prefix), printable(found[1]->prefix)));
    }
    return *found.front();
}

}  // namespace attn
