// Fills in data/page/page.html with the article as text, style, script, and the data of the script.
#include "views/page/page.hpp"

#include <fmt/format.h>

#include "files/resources.hpp"
#include "notebook/render.hpp"
#include "text/html.hpp"
#include "text/printable.hpp"
#include "views/document/document.hpp"
#include "views/heatmap/heatmap.hpp"
#include "views/page/page_sections.hpp"
#include "words/documents.hpp"
#include "words/errata.hpp"
#include "words/narration.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

constexpr std::size_t most_numbers = 1000;  // of a table; PyTorch shortens larger tensors, too

std::string code_block(const std::vector<std::string>& statements, const Words& phrases) {
    return fmt::format("<pre tabindex=0><code>{}</code></pre>\n", escaped(excerpts(statements, phrases)));
}

std::string paragraph(std::string_view of_class, std::string_view text) {
    return text.empty() ? "" : fmt::format("<p class={}>{}</p>\n", of_class, escaped(text));
}

// Writes the article of a stage as text and tables.
class Article {
public:
    Article(const StageTrace& trace, const Style& style, const Words& words)
        : trace_(trace),
          style_(style),
          words_(words),
          phrases_(style.language, "program"),
          narration_(style.language, trace.stage->name),
          errata_(errata_of(style.language, trace)) {}

    std::string text() const {
        std::string text = fmt::format("<h1>{}</h1>\n", escaped(narration_.title()));
        text += paragraph("lead", narration_.intro({trace_}));
        text += paragraph("note", book_place(trace_.stage->name, phrases_));
        for (const PageSection& section : page_sections({trace_}, narration_, words_)) {
            text += fmt::format("<section><h2>{}</h2>\n", escaped(section.title));
            text += paragraph("text", section.text);
            if (section.steps.empty()) {
                text += fmt::format("<figure>{}</figure>\n", table(section.main));
            }
            for (const std::size_t step : section.steps) {
                text += figure(step);
            }
            text += "</section>\n";
        }
        return text + fmt::format("<details class=setup><summary>{}</summary>\n{}</details>\n",
                                  escaped(words_.at("setup")),
                                  code_block(session_setup(trace_, style_.print), phrases_));
    }

private:
    std::string figure(std::size_t id) const {
        const Node& step = trace_.node(id);
        std::string text = fmt::format("<figure><h3>{} <code>{}</code></h3>\n",
                                       escaped(narration_.title({trace_, id})), escaped(step.name));
        text += paragraph("note", narration_.note({trace_, id}));
        for (const Erratum& erratum : errata_) {
            text += paragraph("erratum", erratum.step == step.name ? erratum_text(erratum, phrases_) : "");
        }
        if (const std::string formula =
                formula_mathml(equation_of(trace_.notebook, id), formula_words(phrases_));
            !formula.empty()) {
            text += fmt::format("<div class=formula><math displaystyle=true><mrow>{}</mrow></math></div>\n",
                                formula);
            text += paragraph("note", letters_of(trace_, {&id, 1}));
        }
        return text + code_block(step_lines(trace_, id), phrases_) + table(id) + "</figure>\n";
    }

    // Returns a table for each matrix of a tensor, or a large tensor as PyTorch shortens it.
    std::string table(std::size_t id) const {
        const Node& step = trace_.node(id);
        if (!Heatmap::can_show(step.value) || step.value.count() > most_numbers) {
            return fmt::format("<pre tabindex=0>{}</pre>\n",
                               escaped(printing(trace_, id, style_.print).answer));
        }
        const Heatmap map(trace_.notebook, id, phrases_, style_.print);
        std::string text;
        for (std::size_t matrix = 0; matrix < map.matrices.size(); ++matrix) {
            text += fmt::format("<table class=\"m plain\"><caption>{} {}</caption>\n<tr><td>",
                                escaped(step.name), escaped(map.matrices[matrix].heading));
            for (const std::string& label : map.column.labels) {
                text += fmt::format("<th scope=col>{}", escaped(label));
            }
            for (std::size_t i = 0; i < map.row.labels.size(); ++i) {
                text += fmt::format("\n<tr><th scope=row>{}", escaped(map.row.labels[i]));
                for (std::size_t j = 0; j < map.column.labels.size(); ++j) {
                    const HeatCell cell = map.cell(matrix, i, j);
                    const bool is_masked = cell.kind == CellKind::masked;
                    text += fmt::format("<td{}>{}", is_masked ? " class=hid" : "",
                                        is_masked && cell.number.starts_with('0') ? "" : cell.number);
                }
            }
            text += "</table>\n";
        }
        return text;
    }

    const StageTrace& trace_;
    const Style& style_;
    const Words& words_;
    const Words phrases_;
    const Narration narration_;
    const std::vector<Erratum> errata_;
};

}  // namespace

void write_page(const WriteBytes& write, const Trace& trace, std::span<const PageVariant> variants,
                const Style& style) {
    const Words words(style.language, "page");
    const std::string policy = fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; "
        "form-action 'none'",
        find_resource("page/page.css")->hash, find_resource("page/page.js")->hash);
    const std::string title = trace.stages.size() == 1
                                  ? Narration(style.language, trace.stages[0].stage->name).title()
                                  : words.at("several_stages");
    std::string articles;
    for (const StageTrace& stage : trace.stages) {
        articles += Article(stage, style, words).text();
    }
    using fmt::arg;
    write(fmt::format(fmt::runtime(resource("page/page.html")), arg("language", escaped(style.language)),
                      arg("policy", policy), arg("style", resource("page/page.css")),
                      arg("script", resource("page/page.js")), arg("title", escaped(title)),
                      arg("stages", articles), arg("data", escaped_json(page_data(trace, variants, style))),
                      arg("noscript", escaped(words.at("noscript")))));
}

}  // namespace attn
