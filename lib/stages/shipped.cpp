// Files of data/, read.
#include "stages/shipped.hpp"

#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "stages/lesson_reader.hpp"

namespace attn {

Lesson built_in_lesson() {
    constexpr std::string_view file = "journey.json";
    return read_lesson(resource(file), file);
}

Tensor shipped(std::string_view file, std::string_view name) {
    const Json json = parse_json(resource(file), file);
    return JsonView(json, file).at(name).tensor();
}

std::vector<std::string> shipped_words(std::string_view file, std::string_view name) {
    const Json json = parse_json(resource(file), file);
    const JsonView list = JsonView(json, file).at(name);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < list.size(); ++i) {
        words.push_back(list[i].string());
    }
    return words;
}

}  // namespace attn
