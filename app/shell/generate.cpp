#include "shell/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "files/sink.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

template <std::string (*text)()>
bool print(const Options&) {
    write_standard_output(text());
    return true;
}

struct Generated {
    std::string_view name;
    Task task;
};

constexpr std::array<Generated, 4> generated{{
    {"complete-bash", print<bash_completion>},
    {"complete-zsh", print<zsh_completion>},
    {"complete-fish", print<fish_completion>},
    {"man", print<manual_page>},
}};

}  // namespace

std::vector<std::string_view> generated_names() {
    std::vector<std::string_view> names;
    for (const Generated& one : generated) {
        names.push_back(one.name);
    }
    return names;
}

Task read_generated(const std::string& name) {
    const auto* const found = std::ranges::find(generated, name, &Generated::name);
    if (found == generated.end()) {
        const std::vector<std::string_view> names = generated_names();
        throw Error(fmt::format("--generate: expected one of {} but received {}.{}", fmt::join(names, ", "),
                                in_quotes(name), did_you_mean(name, names)));
    }
    return found->task;
}

}  // namespace attn
