// Reads files of data/.
#include "stages/shipped.hpp"

#include "files/json.hpp"
#include "files/resources.hpp"
#include "stages/lesson_reader.hpp"

namespace attn {

Lesson built_in_lesson() {
    constexpr std::string_view file = "journey.json";
    return read_lesson(resource(file), file);
}

Tensor shipped(std::string_view file, std::string_view name) {
    return parse_json(resource(file), file).at(name).tensor();
}

std::vector<std::string> shipped_words(std::string_view file, std::string_view name) {
    return parse_json(resource(file), file).at(name).strings();
}

}  // namespace attn
