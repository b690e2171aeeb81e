// Reads files of texts and flattens them to keys.
#include "words/words.hpp"

#include <fmt/args.h>

#include <stdexcept>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

constexpr std::string_view first_language = "en";

// Collects the texts below `key`.
void collect(const JsonView& json, const std::string& key, Words::Values& texts) {
    const auto below = [&](std::string_view name) {
        return (key.empty() ? "" : key + "/") + std::string(name);
    };
    if (json.kind() == "string") {
        texts[key] = json.string();
    } else if (json.kind() == "object") {
        for (const auto& [name, value] : json.members()) {
            collect(value, below(name), texts);
        }
    } else if (json.kind() == "array") {
        for (std::size_t i = 0; i < json.size(); ++i) {
            collect(json[i], below(std::to_string(i)), texts);
        }
    } else {
        json.fail("expected a text, or texts in an object or a list.");
    }
}

}  // namespace

std::vector<std::string_view> languages() {
    constexpr std::string_view folder = "narration/";
    std::vector<std::string_view> found{first_language};
    for (std::size_t i = 0; i < resource_count; ++i) {
        const std::string_view name = resources[i].name;
        const std::size_t end = name.find('/', folder.size());
        if (!name.starts_with(folder) || end == std::string_view::npos) {
            continue;
        }
        const std::string_view language = name.substr(folder.size(), end - folder.size());
        if (!contains(found, language)) {
            found.push_back(language);
        }
    }
    return found;
}

Words::Words(std::string_view language, std::string_view file) : language_(language), file_(file) {
    add(file);
}

void Words::add(std::string_view file) {
    Values texts;
    for (const std::string_view one : {first_language, std::string_view(language_)}) {
        const std::string path = fmt::format("narration/{}/{}.json", one, file);
        if (const Resource* const found = find_resource(path)) {
            collect(parse_json(found->text, path), "", texts);
        }
        if (language_ == first_language) {
            break;
        }
    }
    std::erase_if(texts, [&](const auto& text) {
        const std::string entry = text.first.substr(0, text.first.find('/') + 1);
        const auto own = texts_.lower_bound(entry);
        return !entry.empty() && own != texts_.end() && own->first.starts_with(entry);
    });
    texts_.merge(texts);
}

const std::string* Words::find(std::string_view key) const {
    const auto found = texts_.find(key);
    return found == texts_.end() ? nullptr : &found->second;
}

std::string Words::or_empty(std::string_view key) const {
    const std::string* const text = find(key);
    return text == nullptr ? "" : *text;
}

const std::string& Words::at(std::string_view key) const {
    const std::string* const text = find(key);
    if (text == nullptr) {
        throw std::logic_error(place(key) + ": there is no such text");
    }
    return *text;
}

std::string Words::operator()(std::string_view key, const Values& values) const {
    fmt::dynamic_format_arg_store<fmt::format_context> arguments;
    for (const auto& [name, value] : values) {
        arguments.push_back(fmt::arg(name.c_str(), value));
    }
    return filled(key, arguments);
}

std::string Words::axis(std::string_view name) const {
    const std::string* const word = find("axis " + std::string(name));
    return word == nullptr ? std::string(name) : *word;
}

std::string Words::filled(std::string_view key, fmt::format_args values) const {
    try {
        return fmt::vformat(at(key), values);
    } catch (const fmt::format_error& error) {
        throw std::logic_error(fmt::format("{}: {}", place(key), error.what()));
    }
}

std::string Words::place(std::string_view key) const {
    return fmt::format("narration/{}/{}.json: {}", language_, file_, key);
}

}  // namespace attn
