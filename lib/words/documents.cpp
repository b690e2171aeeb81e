#include "words/documents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

constexpr std::string_view file = "documents.json";

std::vector<std::string> texts(const JsonView& list) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < list.size(); ++i) {
        all.push_back(list[i].string());
    }
    return all;
}

}  // namespace

std::vector<std::string> documents() {
    const Json json = parse_json(resource(file), file);
    return texts(JsonView(json, file).at("documents"));
}

std::string document_entries(std::span<const std::string> names, const Words& phrases, std::size_t columns) {
    std::string text;
    for (const std::string& name : names) {
        text += hanging(fmt::format("  {}  ", name), phrases("about " + name), columns);
    }
    return text;
}

std::string book_sections(std::string_view stage) {
    const Json json = parse_json(resource(file), file);
    const std::optional<JsonView> sections = JsonView(json, file).at("book").find(stage);
    return sections ? fmt::format("{}", fmt::join(texts(*sections), ", ")) : "";
}

}  // namespace attn
