// Reads files of data/.
#include "stages/shipped.hpp"

#include <span>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "stages/lesson_reader.hpp"

namespace attn {

Lesson built_in_lesson() {
    constexpr std::string_view file = "journey.json";
    return read_lesson(resource(file), file);
}

std::vector<KnownLesson> known_lessons() {
    std::vector<KnownLesson> known;
    for (const Resource& file : std::span(resources, resource_count)) {
        if (!file.name.starts_with("lessons/")) {
            continue;
        }
        const JsonView document = parse_json(file.text, file.name);
        KnownLesson& one = known.emplace_back(KnownLesson{
            read_lesson(document.at("lesson").text(), file.name), document.at("stage").string(), {}});
        for (const auto& [name, value] : document.at("settings").members()) {
            one.settings.push_back(setting_of(*find_parameter(name), value.text()));
        }
    }
    return known;
}

Tensor shipped(std::string_view file, std::string_view name) {
    return parse_json(resource(file), file).at(name).tensor();
}

std::vector<std::string> shipped_words(std::string_view file, std::string_view name) {
    return parse_json(resource(file), file).at(name).strings();
}

}  // namespace attn
