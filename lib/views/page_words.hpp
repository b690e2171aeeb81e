// What a page's own controls and headings are called: narration/<language>/page.json.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace attn {

struct PageWords {
    std::string language;
    std::map<std::string, std::string, std::less<>> texts;

    // Throws std::logic_error when there is no such text.
    const std::string& at(std::string_view key) const;
    // What an axis counts: "axis_query" is the text for "query"; one without a text is called as it is.
    std::string axis(std::string_view name) const;
};

// The compiled-in words. Throws Error for a file that holds anything else.
PageWords read_page_words(std::string_view language);

}  // namespace attn
