#include "views/errata.hpp"

#include <fmt/format.h>

#include <cctype>

#include "io/json_view.hpp"
#include "io/resources.hpp"
#include "views/prose.hpp"

namespace attn {

std::vector<Erratum> read_errata(std::string_view language) {
    constexpr std::string_view places_file = "errata.json";
    const std::string words_file = fmt::format("narration/{}/errata.json", language);
    const Json places_json = parse_json(resource(places_file), places_file);
    const Json words_json = parse_json(resource(words_file), words_file);
    const JsonView places(places_json, places_file);
    const JsonView words(words_json, words_file);
    std::vector<Erratum> errata;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const JsonView place = places[i];
        place.allow_keys({"id", "document", "stage", "step"});
        const std::string& id = place.at("id").string();
        const JsonView text = words.at(id);
        text.allow_keys({"says", "right"});
        errata.push_back({id, place.at("document").string(), place.at("stage").string(),
                          place.at("step").string(), text.at("says").string(), text.at("right").string()});
    }
    return errata;
}

std::string erratum_text(const Erratum& erratum) {
    const bool numbered = std::isdigit(static_cast<unsigned char>(erratum.document.front())) != 0;
    const std::string_view noun = !numbered ? "" : erratum.document.size() > 3 ? "documents " : "document ";
    return fmt::format("Erratum: {}{} {} {}", noun, erratum.document, erratum.says, erratum.right);
}

std::string errata_list(std::span<const Erratum> errata) {
    std::string text;
    for (const Erratum& erratum : errata) {
        text += fmt::format("{}{} · {}\n{}", text.empty() ? "" : "\n", erratum.stage, erratum.step,
                            wrapped(erratum_text(erratum)));
    }
    return text;
}

}  // namespace attn
