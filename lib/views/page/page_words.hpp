// What a page's own controls and headings are called: narration/<language>/page.json.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "words/narration.hpp"

namespace attn {

struct PageWords {
    std::string language;
    std::map<std::string, std::string, std::less<>> texts;
    Phrases phrases;

    // Throws std::logic_error when there is no such text.
    const std::string& at(std::string_view key) const;
};

// The compiled-in words. Throws Error for a file that holds anything else.
PageWords read_page_words(std::string_view language);

}  // namespace attn
