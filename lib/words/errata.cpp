#include "words/errata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "text/prose.hpp"
#include "words/documents.hpp"

namespace attn {

namespace {

// Returns "document 000", "documents 000 and 002" or "documents 000, 001 and 002".
std::string who(const Erratum& erratum, const Words& phrases) {
    const std::vector<std::string>& documents = erratum.documents;
    if (documents.empty()) {
        return erratum.source;
    }
    if (documents.size() == 1) {
        return phrases("document", documents.front());
    }
    return phrases("documents", fmt::join(documents.begin(), documents.end() - 1, ", "), documents.back());
}

}  // namespace

std::vector<Erratum> read_errata(std::string_view language) {
    constexpr std::string_view places_file = "errata.json";
    const JsonView places = parse_json(resource(places_file), places_file);
    const Words words(language, "errata");
    std::vector<Erratum> errata;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const JsonView place = places[i];
        place.allow_keys({"id", "documents", "stage", "step", "mistake", "parameters", "mended"});
        const std::string& id = place.at("id").string();
        Erratum erratum{id,
                        {},
                        words.or_empty(id + "/source"),
                        place.at("stage").string(),
                        place.at("step").string(),
                        words.at(id + "/says"),
                        words.at(id + "/right")};
        erratum.documents = place.at("documents").strings();
        if (const auto mistake = place.find("mistake")) {
            erratum.mistake = mistake->string();
            for (const auto& [name, value] : place.at("parameters").members()) {
                erratum.parameters.push_back({find_parameter(name)->name, value.string()});
            }
        }
        erratum.mended = place.find("mended").has_value();
        errata.push_back(std::move(erratum));
    }
    return errata;
}

void Erratum::set(Parameters& of_run) const {
    for (const Setting& setting : parameters) {
        find_parameter(setting.parameter)->read(of_run, setting.value);
    }
}

std::vector<Erratum> errata_of(std::string_view language, const StageTrace& trace) {
    if (trace.own_lesson) {
        return {};
    }
    std::vector<Erratum> errata = read_errata(language);
    std::erase_if(errata, [&](const Erratum& erratum) {
        return erratum.stage != trace.stage->name || !trace.shows(erratum.step);
    });
    return errata;
}

std::string erratum_text(const Erratum& erratum, const Words& phrases) {
    return phrases("erratum", who(erratum, phrases), erratum.says, erratum.right);
}

std::string errata_list(std::span<const Erratum> errata, const Words& phrases, std::size_t columns) {
    std::string text;
    for (const Erratum& erratum : errata) {
        text += fmt::format("{}{} · {}\n{}", text.empty() ? "" : "\n", erratum.stage, erratum.step,
                            wrapped(erratum_text(erratum, phrases), columns));
    }
    const auto of_book =
        std::ranges::count_if(errata, [](const Erratum& one) { return one.documents.empty(); });
    text += "\n" + wrapped(phrases("errata_of_book", errata.size(), of_book), columns);
    return text + "\n" + document_entries(documents(), phrases, columns);
}

}  // namespace attn
