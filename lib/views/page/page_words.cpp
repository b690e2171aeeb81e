// One flat file of texts.
#include "views/page/page_words.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "files/json_view.hpp"
#include "files/resources.hpp"

namespace attn {

const std::string& PageWords::at(std::string_view key) const {
    const auto found = texts.find(key);
    if (found == texts.end()) {
        throw std::logic_error("the page has no words for " + std::string(key));
    }
    return found->second;
}

PageWords read_page_words(std::string_view language) {
    const std::string file = fmt::format("narration/{}/page.json", language);
    const Json json = parse_json(resource(file), file);
    const JsonView root(json, file);
    PageWords words{std::string(language), {}, Phrases(language)};
    for (const JsonMember& member : root.object()) {
        words.texts[member.key] = root.at(member.key).string();
    }
    return words;
}

}  // namespace attn
