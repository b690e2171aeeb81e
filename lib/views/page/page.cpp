// The holes of data/page/page.html filled: words, stages with their steps, style, script and the script's
// data.
#include "views/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "files/resources.hpp"
#include "notebook/render.hpp"
#include "printed/references.hpp"
#include "text/printable.hpp"
#include "views/document/document.hpp"
#include "views/page/html.hpp"
#include "views/page/page_data.hpp"
#include "views/page/page_part.hpp"
#include "views/page/page_table.hpp"
#include "words/errata.hpp"
#include "words/narration.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

std::string code_block(const std::vector<std::string>& statements, const Words& phrases) {
    return fmt::format("<pre tabindex=0><code>{}</code></pre>\n", escaped(excerpts(statements, phrases)));
}

std::string paragraph(std::string_view of_class, std::string_view text) {
    return fmt::format("<p class={}>{}</p>\n", of_class, escaped(text));
}

class Page {
public:
    Page(const Trace& trace, std::span<const PageVariant> variants, const Style& style)
        : trace_(trace),
          variants_(variants),
          words_(style.language, "page"),
          phrases_(style.language, "program"),
          options_(style.print) {
        for (const StageTrace& stage : trace.stages) {
            narration_.emplace_back(style.language, stage.stage->name);
        }
    }

    const Words& words() const { return words_; }

    std::string title() const {
        return trace_.stages.size() == 1 ? narration_[0].title() : words_.at("several_stages");
    }

    std::string contents() const {
        std::string text;
        for (std::size_t i = 0; i < trace_.stages.size(); ++i) {
            const StageTrace& stage = trace_.stages[i];
            text += fmt::format("<li class=stage><a href=\"#{}\">{}</a>\n<ol>\n", stage.stage->name,
                                escaped(narration_[i].title()));
            for (const std::size_t step : stage.shown) {
                const std::string& name = stage.node(step).name;
                text += fmt::format("<li><a href=\"#{}/{}\"><code>{}</code></a></li>\n", stage.stage->name,
                                    name, escaped(name));
            }
            text += "</ol></li>\n";
        }
        return text;
    }

    std::string stages() const {
        std::string text;
        for (std::size_t i = 0; i < trace_.stages.size(); ++i) {
            append_stage(i, text);
        }
        return text;
    }

    // The sentence, as far as it fits a line or two.
    std::string tokens() const {
        constexpr std::size_t most_tokens = 16;
        constexpr std::size_t most_characters = 24;
        std::string text;
        for (std::size_t i = 0; i < trace_.lesson.tokens.size(); ++i) {
            if (i == most_tokens) {
                return text + "<span>…</span>";
            }
            text += fmt::format("<bdi>{}</bdi> ", escaped(trace_.lesson.tokens[i], most_characters));
        }
        return text;
    }

private:
    void append_stage(std::size_t i, std::string& text) const {
        const StageTrace& stage = trace_.stages[i];
        const Narration& words = narration_[i];
        text +=
            fmt::format("<section class=stage id={0} aria-labelledby=title-{0}>\n<h2 id=title-{0}>{1}</h2>\n",
                        stage.stage->name, escaped(words.title()));
        text += paragraph("intro", words.intro({stage}));
        text +=
            fmt::format("<details class=setup><summary>{}</summary>\n{}</details>\n",
                        escaped(words_.at("setup")), code_block(session_setup(stage, options_), phrases_));
        const std::vector<Erratum> errata = errata_of(words.language(), stage);
        for (std::size_t n = 0; n < stage.shown.size(); ++n) {
            append_step(i, n, errata, text);
        }
        text += "</section>\n";
    }

    void append_step(std::size_t i, std::size_t n, const std::vector<Erratum>& errata,
                     std::string& text) const {
        const StageTrace& stage = trace_.stages[i];
        const std::size_t node = stage.shown[n];
        const Node& step = stage.node(node);
        const Narration& words = narration_[i];
        const std::string id = fmt::format("{}/{}", stage.stage->name, step.name);
        text += fmt::format(
            "<article class=step id={0} aria-labelledby=title-{0} tabindex=-1>\n"
            "<p class=where>{1} / {2}</p>\n<h3 id=title-{0}>{3} <code>{4}</code></h3>\n",
            id, stage.place(node), stage.steps.size(), escaped(words.title({stage, node})),
            escaped(step.name));
        text += paragraph("note", words.note({stage, node}));
        for (const Erratum& erratum : errata) {
            text += erratum.step == step.name ? paragraph("erratum", erratum_text(erratum, phrases_)) : "";
        }
        append_formulas(stage, step, node, text);
        text += fmt::format("<div class=code>{}</div>\n", code_block(step_lines(stage, node), phrases_));
        const TableSettings settings{&words_, &phrases_, options_};
        text += fmt::format(
            "<noscript><div class=tables tabindex=0 role=group aria-label=\"{}\">\n{}</div>\n"
            "{}</noscript></article>\n",
            escaped(step.name), step_tables(stage.notebook, node, settings), legend(stage.notebook, node));
    }

    // The step's formula, and hidden those of the variants that have another.
    void append_formulas(const StageTrace& stage, const Node& step, std::size_t node,
                         std::string& text) const {
        const auto append = [&](std::string_view attributes, const std::string& formula) {
            text += formula.empty() ? ""
                                    : fmt::format(
                                          "<div class=formula{} tabindex=0 role=group aria-label=\"{}\">"
                                          "<math displaystyle=true><mrow>{}</mrow></math></div>\n",
                                          attributes, escaped(words_.at("formula")), formula);
        };
        const std::string own = formula(stage, node);
        append("", own);
        for (const PageVariant& variant : variants_) {
            const std::optional<std::size_t> found = variant.trace.find(step.name);
            if (variant.trace.stage == stage.stage && found && formula(variant.trace, *found) != own) {
                append(fmt::format(" data-variant={} hidden", variant.id), formula(variant.trace, *found));
            }
        }
    }

    std::string formula(const StageTrace& stage, std::size_t node) const {
        return formula_mathml(equation_of(stage.notebook, node), [&](std::string_view english) {
            const std::string* const found = phrases_.find(fmt::format("formula {}", english));
            return found != nullptr ? *found : std::string(english);
        });
    }

    // The ends of the step's numbers on the scale of colours, each in its colour.
    std::string legend(const Notebook& notebook, std::size_t node) const {
        Shading shading = shading_of(notebook, node);
        if (shading.largest == 0.0F) {
            return "";
        }
        shading.kinds = {CellKind::number};
        const Tensor& x = notebook.nodes()[node].value;
        const std::function<std::string(float)> write = number_writer(x, options_);
        const auto end = [&](float value) {
            return fmt::format("<span class=\"key {}\">{}</span>", colour_class(shading, 0, value),
                               write(value));
        };
        float least = shading.largest;
        float largest = -shading.largest;
        for (const float value : x.values()) {
            if (std::isfinite(value)) {
                least = std::min(least, value);
                largest = std::max(largest, value);
            }
        }
        return fmt::format("<p class=legend>{} {} … {}</p>\n", escaped(words_.at("colours")), end(least),
                           end(largest));
    }

    const Trace& trace_;
    std::span<const PageVariant> variants_;
    Words words_;
    Words phrases_;
    const PrintOptions& options_;
    std::vector<Narration> narration_;
};

}  // namespace

void write_page(const WriteBytes& write, const Trace& trace, std::span<const PageVariant> variants,
                const Style& style) {
    const Page page(trace, variants, style);
    const std::vector<Reference> references = read_references();
    const auto text_of = [&](std::string_view hole) -> std::string {
        if (hole == "language") {
            return escaped(style.language);
        }
        if (hole == "policy") {
            return fmt::format(
                "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; "
                "form-action 'none'",
                resource_hash("page/page.css"), resource_hash("page/page.js"));
        }
        if (hole == "style") {
            return std::string(resource("page/page.css"));
        }
        if (hole == "script") {
            return std::string(resource("page/page.js"));
        }
        if (hole == "title") {
            return escaped(page.title());
        }
        if (hole == "tokens") {
            return page.tokens();
        }
        if (hole == "contents") {
            return page.contents();
        }
        if (hole == "stages") {
            return page.stages();
        }
        return escaped(page.words().at(hole));
    };
    write_filled_in(write, resource("page/page.html"), [&](std::string_view hole, const WriteBytes& put) {
        if (hole != "data") {
            put(text_of(hole));
            return;
        }
        put(escaped_json(page_data(trace, variants, references, page.words(), style.print)));
    });
}

}  // namespace attn
