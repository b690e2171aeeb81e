#include "words/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "stages/catalogue.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

constexpr std::string_view file = "documents.json";

// Returns the sections, listings or exercises of a stage, or its first and last figure.
std::vector<std::string> book_entry(std::string_view stage, std::string_view kind) {
    static const JsonView all = parse_json(resource(file), file);
    const std::optional<JsonView> entry = all.at("book").find(stage);
    const std::optional<JsonView> names = entry ? entry->find(kind) : std::nullopt;
    return names ? names->strings() : std::vector<std::string>();
}

// Returns true for a figure from the first to the last figure of a stage: figures of chapter 3.
bool is_figure_of(std::string_view stage, std::string_view name) {
    const auto number = [](std::string_view figure) {
        std::uint64_t read = 0;
        return figure.starts_with("3.") && read_whole(figure.substr(2), read) ? read : 0;
    };
    const std::vector<std::string> figures = book_entry(stage, "figures");
    return !figures.empty() && number(figures.front()) <= number(name) &&
           number(name) <= number(figures.back());
}

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

std::string book_place(std::string_view stage, const Words& phrases) {
    const std::string sections = joined(book_entry(stage, "sections"));
    const std::vector<std::string> figures = book_entry(stage, "figures");
    const std::string what = figures.empty() ? sections
                             : figures.size() == 1
                                 ? phrases("figure", sections, figures.front())
                                 : phrases("figures", sections, figures.front(), figures.back());
    return sections.empty() ? "" : phrases("in_the_book", what);
}

std::vector<std::string> exercise_numbers() {
    std::vector<std::string> numbers;
    for (const Stage* const stage : catalogue()) {
        std::ranges::copy(book_entry(stage->name, "exercises"), std::back_inserter(numbers));
    }
    return numbers;
}

std::string_view stage_of_exercise(std::string_view number) {
    const auto found = std::ranges::find_if(catalogue(), [&](const Stage* stage) {
        return contains(book_entry(stage->name, "exercises"), number);
    });
    return found == catalogue().end() ? "" : (*found)->name;
}

const Stage* stage_of(BookPart part, std::string_view number) {
    const bool is_section = part == BookPart::section;
    const auto is_named = [&](std::string_view name) {
        return name == number || (is_section && name.starts_with(fmt::format("{}.", number)));
    };
    const auto found = std::ranges::find_if(catalogue(), [&](const Stage* stage) {
        return part == BookPart::figure
                   ? is_figure_of(stage->name, number)
                   : std::ranges::any_of(book_entry(stage->name, is_section ? "sections" : "listings"),
                                         is_named);
    });
    if (found == catalogue().end() && is_section) {
        return stage_of(BookPart::figure, number);
    }
    return number.empty() || found == catalogue().end() ? nullptr : *found;
}

std::string module_code(std::string_view stage) {
    const Resource* const found = find_resource(fmt::format("python/modules/{}.py", stage));
    std::string code(found == nullptr ? "" : found->text);
    code.erase(code.find_last_not_of('\n') + 1);
    return code;
}

std::vector<PathPart> main_path(std::string_view stage) {
    constexpr std::string_view maps = "maps.json";
    const std::optional<JsonView> path = parse_json(resource(maps), maps).find(stage);
    std::vector<PathPart> parts;
    for (std::size_t i = 0; path && i < path->size(); ++i) {
        parts.push_back({(*path)[i][0].string(), (*path)[i][1].string()});
    }
    return parts;
}

}  // namespace attn
