#include "shell/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "files/sink.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"

namespace attn {

namespace {

struct Generated {
    std::string_view name;
    std::string (*text)(std::string_view language);
};

// For one that says nothing in words, or all in English.
template <std::string (*text)()>
std::string in_no_language(std::string_view) {
    return text();
}

constexpr Generated generated[] = {
    {"complete-bash", in_no_language<bash_completion>},
    {"complete-zsh", in_no_language<zsh_completion>},
    {"complete-fish", in_no_language<fish_completion>},
    {"man", in_no_language<manual_page>},
    {"options", options_json},
};

}  // namespace

std::vector<std::string_view> generated_names() {
    std::vector<std::string_view> names;
    for (const Generated& one : generated) {
        names.push_back(one.name);
    }
    return names;
}

bool generate(const Options& options) {
    const auto* const found = std::ranges::find(generated, options.generated, &Generated::name);
    if (found == std::end(generated)) {
        const std::vector<std::string_view> names = generated_names();
        throw Error(fmt::format("--generate: expected one of {} but received {}.{}", fmt::join(names, ", "),
                                in_quotes(options.generated),
                                did_you_mean(options.generated, names).english()));
    }
    write_standard_output(found->text(options.style.language));
    return true;
}

}  // namespace attn
