// Fills in data/page/page.html with words, stages and steps, style, script, and the data of the script.
#include "views/page/page.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "files/resources.hpp"
#include "text/printable.hpp"
#include "views/document/document.hpp"
#include "views/page/html.hpp"
#include "views/page/page_data.hpp"
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
    Page(const Trace& trace, const Style& style)
        : trace_(trace), style_(style), words_(style.language, "page"), phrases_(style.language, "program") {}

    const Words& words() const { return words_; }

    std::string title() const {
        return trace_.stages.size() == 1 ? Narration(style_.language, trace_.stages[0].stage->name).title()
                                         : words_.at("several_stages");
    }

    // Writes all steps as text and tables.
    std::string stages() const {
        std::string text;
        for (const StageTrace& trace : trace_.stages) {
            const StagePart stage =
                stage_part(trace, Narration(style_.language, trace.stage->name), style_.print);
            text += "<section>\n";
            if (trace_.stages.size() > 1) {
                text += fmt::format("<h2>{}</h2>\n", escaped(stage.title));
            }
            text += paragraph("intro", stage.intro);
            text += folded("setup", code_block(stage.setup, phrases_));
            for (const StepPart& step : stage.steps) {
                append_step(trace, step, text);
            }
            text += "</section>\n";
        }
        return text;
    }

private:
    void append_step(const StageTrace& trace, const StepPart& part, std::string& text) const {
        const Node& step = trace.node(part.id);
        text +=
            fmt::format("<article class=step>\n<p class=where>{} / {}</p>\n<h3>{} <code>{}</code></h3>\n",
                        trace.place(part.id), trace.steps.size(), escaped(part.title), escaped(step.name));
        text += paragraph("note", part.note);
        for (const std::string& erratum : part.errata) {
            text += paragraph("erratum", erratum);
        }
        if (const std::string formula = mathml(part.formula, phrases_); !formula.empty()) {
            text += fmt::format(
                "<div class=formula tabindex=0 role=group aria-label=\"{}\"><math "
                "displaystyle=true><mrow>{}</mrow></math></div>\n",
                escaped(words_.at("formula")), formula);
        }
        text += fmt::format("<div class=code>{}</div>\n", code_block(part.code, phrases_));
        text += fmt::format("<pre class=output tabindex=0>{}</pre></article>\n",
                            escaped(printed(trace, step, style_.print)));
    }

    std::string folded(std::string_view name, std::string_view content) const {
        return fmt::format("<details class={}><summary>{}</summary>\n{}</details>\n", name,
                           escaped(words_.at(name)), content);
    }

    const Trace& trace_;
    const Style& style_;
    Words words_;
    Words phrases_;
};

}  // namespace

void write_page(const WriteBytes& write, const Trace& trace, std::span<const PageVariant> variants,
                const Style& style) {
    const Page page(trace, style);
    const auto text_of = [&](std::string_view hole) -> std::string {
        if (hole == "language") {
            return escaped(style.language);
        }
        if (hole == "policy") {
            return fmt::format(
                "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; "
                "form-action 'none'",
                find_resource("page/page.css")->hash, find_resource("page/page.js")->hash);
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
        put(escaped_json(page_data(trace, variants, style)));
    });
}

}  // namespace attn
