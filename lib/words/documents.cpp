#include "words/documents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "stages/catalogue.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

constexpr std::string_view file = "documents.json";

}  // namespace

std::vector<std::string> documents() {
    return parse_json(resource(file), file).at("documents").strings();
}

std::string document_entries(std::span<const std::string> names, const Words& phrases, std::size_t columns) {
    std::string text;
    for (const std::string& name : names) {
        text += hanging(fmt::format("  {}  ", name), phrases("about " + name), columns);
    }
    return text;
}

std::string book_sections(std::string_view stage) {
    const std::optional<JsonView> sections = parse_json(resource(file), file).at("book").find(stage);
    return sections ? fmt::format("{}", fmt::join(sections->strings(), ", ")) : "";
}

const Stage* stage_of_section(std::string_view section) {
    const auto is_in_section = [&](const Stage* stage) {
        const std::string sections = ", " + book_sections(stage->name) + ", ";
        return sections.find(fmt::format(", {},", section)) != std::string::npos ||
               sections.find(fmt::format(", {}.", section)) != std::string::npos;
    };
    const auto found = std::ranges::find_if(catalogue(), is_in_section);
    return section.empty() || found == catalogue().end() ? nullptr : *found;
}

}  // namespace attn
