#include "commands/one_by_one.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "files/sink.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

struct StepPlace {
    const StageTrace* stage;
    std::size_t step;

    bool is_called(const std::string& word) const {
        return word == stage->node(step).name || word == std::to_string(stage->place(step));
    }
};

// Returns the place that the reader chooses: one past the end for the end, nothing for other words. A number
// or name is first looked for in the stage that is shown.
std::optional<std::size_t> chosen(const std::string& word, std::size_t at,
                                  const std::vector<StepPlace>& places) {
    if (word.empty() || word == "n") {
        return at + 1;
    }
    if (word == "b") {
        return at - std::min<std::size_t>(at, 1);
    }
    if (word == "q" || word == "quit" || word == "exit") {
        return places.size();
    }
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool is_nearer =
            !found || (places[*found].stage != places[at].stage && places[i].stage == places[at].stage);
        if (places[i].is_called(word) && is_nearer) {
            found = i;
        }
    }
    return found;
}

}  // namespace

void require_terminal() {
    if (!input_is_terminal() || !output_is_terminal()) {
        throw Error(
            "--step: without a value, it shows one step at a time and needs a terminal; in a pipe, "
            "give a name, a number or a range, such as --step 1-4.")
            .correcting("--step", "--step 1-4");
    }
}

void show_one_by_one(const Trace& trace, const Words& phrases,
                     const std::function<std::string(const StageTrace&, std::size_t step)>& text_of) {
    std::vector<StepPlace> places;
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t step : stage.shown) {
            places.push_back({&stage, step});
        }
    }
    for (std::size_t at = 0; at < places.size();) {
        const auto& [stage, step] = places[at];
        write_standard_output(text_of(*stage, step));
        for (std::optional<std::size_t> next; !next;) {
            write_standard_output("\n" + phrases("one_by_one") + "\n> ");
            const std::optional<std::string> line = read_line();
            if (!line) {
                write_standard_output("\n");
                return;
            }
            next = chosen(line->substr(0, line->find_last_not_of(" \t") + 1), at, places);
            if (!next) {
                write_standard_output(phrases("no_such_step", in_quotes(*line)) + "\n");
            }
            at = next.value_or(at);
        }
    }
}

}  // namespace attn
