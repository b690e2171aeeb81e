// Explanations as a reader gets them. Every equation in the text is read again and evaluated; nothing but the
// text is used for that.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator.hpp"
#include "files/json_view.hpp"
#include "files/resources.hpp"
#include "tensor/error.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/cell_address.hpp"
#include "views/explain/explanation_text.hpp"
#include "walked.hpp"

using attn::StageTrace;

namespace {

std::string told(const StageTrace& trace, std::size_t node, const attn::Index& index, std::size_t depth = 1) {
    const attn::Explanations cells = attn::explain(trace.notebook, node, index, depth);
    return explanation_text(trace, cells, "en", {});
}

std::string told(const StageTrace& trace, std::string_view address, std::size_t depth = 1) {
    const attn::CellAddress cell = attn::find_cell(trace, address);
    return told(trace, cell.node, cell.index, depth);
}

// The lines of a text, with those that an equation goes on in put together.
std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t to = text.find('\n', from);
        const std::string line = text.substr(from, to - from);
        const std::string bare = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        const bool goes_on =
            bare != line && !result.empty() &&
            (bare.starts_with("+ ") || bare.starts_with("= ") || result.back().ends_with(','));
        if (goes_on) {
            result.back() += " " + bare;
        } else {
            result.push_back(bare);
        }
        from = to + 1;
    }
    return result;
}

// The sides of an equation; equals signs in square brackets ask and do not tell.
std::vector<std::string> sides(std::string line) {
    line.resize(std::min(line.size(), line.find("  (")));
    std::vector<std::string> result{""};
    int depth = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        depth += line[i] == '[' ? 1 : line[i] == ']' ? -1 : 0;
        if (depth == 0 && line.compare(i, 3, " = ") == 0) {
            result.emplace_back();
            i += 2;
        } else {
            result.back() += line[i];
        }
    }
    return result;
}

std::optional<double> value_of(const std::string& text) {
    try {
        return attn::test::evaluate(text);
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

double half_unit(const std::string& number) {
    const std::size_t exponent = std::min(number.find('e'), number.size());
    const std::size_t point = std::min(number.find('.'), exponent);
    const int decimals = std::max(4, static_cast<int>(exponent - point) - 1);
    const double scale = exponent < number.size() ? std::stod(number.substr(exponent + 1)) : 0.0;
    return 0.5 * std::pow(10.0, scale - decimals) * (1 + 1e-6);
}

struct Count {
    std::size_t cells = 0, evaluated = 0, moved = 0;
};

// Every equation of the text is true: its last side is what the one before comes to, or what the cell holds
// that stands there.
void check_equations(const StageTrace& trace, const std::string& text, Count& count) {
    static const std::regex a_cell(R"([A-Za-z_]\w*(\[\d+\])*)");
    for (const std::string& line : lines(text)) {
        const std::vector<std::string> all = sides(line);
        const std::optional<double> result = value_of(all.back());
        if (all.size() < 2 || !result || line.ends_with('.')) {
            continue;
        }
        const std::string& before = all[all.size() - 2];
        CAPTURE(line);
        if (const std::optional<double> value = value_of(before)) {
            CHECK((*value == *result || (std::isnan(*value) && std::isnan(*result)) ||
                   std::abs(*value - *result) <= half_unit(all.back())));
            ++count.evaluated;
        } else {
            if (before == "their sum") {  // of one number
                continue;
            }
            REQUIRE(std::regex_match(before, a_cell));
            const attn::CellAddress cell = attn::find_cell(trace, before);
            const float held = trace.node(cell.node).value.at(cell.index);
            CHECK(attn::number_text(static_cast<double>(held), 4) == all.back());
            ++count.moved;
        }
    }
}

std::string refusal(const StageTrace& trace, std::string_view address) {
    try {
        attn::find_cell(trace, address);
    } catch (const attn::Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("every equation of every explanation of every stage holds as it is written") {
    Count count;
    for (const attn::Stage* stage : attn::catalogue()) {
        const StageTrace trace = attn::walk(*stage, attn::journey(), stage->defaults);
        const auto& nodes = trace.notebook.nodes();
        const bool is_large =
            std::ranges::any_of(nodes, [](const attn::Node& node) { return node.value.count() > 100'000; });
        const std::size_t most_cells = is_large ? 12 : 60;
        for (const std::size_t id : trace.steps) {
            const std::size_t cells = nodes[id].value.count();
            for (std::size_t i = 0; i < cells; i += cells / most_cells + 1) {
                check_equations(trace, told(trace, id, nodes[id].value.index(i)), count);
                ++count.cells;
            }
        }
    }
    MESSAGE(count.cells, " cells, ", count.evaluated, " equations evaluated, ", count.moved, " looked up");
    CHECK(count.cells > 2500);
    CHECK(count.evaluated + count.moved >= count.cells);
}

TEST_CASE("an explanation goes on to the embeddings, each cell once") {
    const StageTrace trace = attn::walk_causal(attn::journey());
    const std::string text = told(trace, "context_vec[journey][0]", 10);
    Count count;
    check_equations(trace, text, count);
    CHECK(count.evaluated > 40);
    for (const std::string_view needle :
         {"context_vec[1][0] = 0.5517·(−0.0872) + 0.4483·(−0.1137) = −0.0991\n", "inputs[1][2] = 0.66\n",
          "masked[1][0]: see above", "W_query[1][2]", "torch.manual_seed(789)"}) {
        CAPTURE(needle);
        CHECK(text.find(needle) != std::string::npos);
    }
    const std::string title = "inputs[1][2] · token 1 “journey”, feature 2\n";
    CHECK(text.find(title) == text.rfind(title));
    CHECK(told(trace, "context_vec[1][0]", 1).find("inputs") == std::string::npos);
    CHECK(told(trace, "context_vec[1][0]", 2).find("attn_weights_causal[1][0] · query") != std::string::npos);
    CHECK(told(trace, "context_vec[1][0]", 2).find("attn_scores[1][0] ·") == std::string::npos);
}

TEST_CASE("an explanation of a softmax shows scores, division, maximum, exponentials, sum and quotient") {
    const std::string text = told(attn::walk_causal(attn::journey()), "attn_weights_causal[1][0]");
    std::size_t at = 0;
    for (const std::string_view needle :
         {"masked[1][1] / keys.shape[-1]**0.5 = 0.1723 / 1.4142 = 0.1218", "the largest = max(",
          "exp[1][1] = exp(", "their sum = 1 + 0.8127 = 1.8127",
          "attn_weights_causal[1][0] = 1 / 1.8127 = 0.5517"}) {
        CAPTURE(needle);
        at = text.find(needle, at);
        CHECK(at != std::string::npos);
    }
}

TEST_CASE("what arithmetic does not tell, words do") {
    attn::Parameters parameters = attn::causal_defaults();
    const auto tells = [&](const char* address, const char* needle) {
        std::string text = told(attn::walk_causal(attn::journey(), parameters), address);
        std::ranges::replace(text, '\n', ' ');
        CAPTURE(text);
        CHECK(text.find(needle) != std::string::npos);
    };
    tells("masked[1][3]",
          "Masked: mask[1][3] = 1. Beyond the diagonal, for key 3 “with” comes after query 1");
    tells("masked[3][1]", "Not masked: mask[3][1] = 0.");
    tells("mask_simple[0][5]", "tril puts 0");
    tells("inputs[0][0]", "Given, not computed.");
    tells("W_key[1][0]", "nn.Linear draws between ±1/√3 = ±0.5774.");
    tells("attn_weights_dropped[4][1]", "Kept: the number drawn for it, 0.4198, is below 1 − p = 0.5.");
    tells("attn_weights_dropped[4][1]", "multiplied by 1/(1 − p) = 2");
    parameters.dropout_rng = attn::DropoutRng::mkl;
    tells("attn_weights_dropped[4][1]",
          "of MKL's generator, which draw 1 after torch.manual_seed(123) seeds.");
    parameters.dropout = 1.0;
    parameters.dropout_rng = attn::DropoutRng::mt19937;
    tells("attn_weights_dropped[4][1]", "p = 1: everything is dropped");
}

TEST_CASE("both languages have the same words of explanations, with the same values in them") {
    const auto patterns = [](const char* language) {
        const std::string file = std::string("narration/") + language + "/explanation.json";
        const attn::Json json = attn::parse_json(attn::resource(file), file);
        const attn::JsonView root(json, file);
        std::map<std::string, std::multiset<std::string>> values;
        for (const attn::JsonMember& member : root.object()) {
            const std::string& text = root[member].string();
            CHECK(!text.empty());
            std::multiset<std::string>& found = values[member.key];
            for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
                found.insert(text.substr(at, text.find('}', at) - at));
            }
        }
        return values;
    };
    CHECK(patterns("en").size() > 35);
    CHECK(patterns("en") == patterns("zh"));
}

TEST_CASE("a cell is named by indices from either end or by words") {
    const StageTrace trace = attn::walk_causal(attn::journey());
    const attn::CellAddress cell = attn::find_cell(trace, "attn_weights[1][5]");
    for (const char* same : {"attn_weights[journey][step]", "attn_weights[-5][-1]", "attn_weights[1, 5]",
                             "attn_weights[journey,5]"}) {
        CAPTURE(same);
        const attn::CellAddress other = attn::find_cell(trace, same);
        CHECK((other.node == cell.node && other.index == cell.index));
    }
}

TEST_CASE("a cell there is none of is refused with what would be right") {
    const StageTrace trace = attn::walk_causal(attn::journey());
    CHECK(refusal(trace, "attn_weight[0][0]").find("Did you mean \"attn_weights\"?") != std::string::npos);
    CHECK(refusal(trace, "keys[6][0]").find("shape (6, 2): expected an index from -6 to 5 for token") !=
          std::string::npos);
    CHECK(refusal(trace, "keys[0]").find("expected keys[token][feature]") != std::string::npos);
    CHECK(refusal(trace, "keys[0][0][0]").find("expected keys[token][feature]") != std::string::npos);
    CHECK(refusal(trace, "keys").find("expected keys[token][feature]") != std::string::npos);
    CHECK(refusal(trace, "keys[jorney][0]").find("Did you mean \"journey\"?") != std::string::npos);
    CHECK(refusal(trace, "keys[0][journey]").find("feature counts no tokens") != std::string::npos);
    CHECK(refusal(trace, "keys[0][0").find("expected a cell such as") != std::string::npos);
    CHECK(refusal(trace, "generator").find("no step \"generator\"") != std::string::npos);
    CHECK(refusal(trace, "") != "");
    CHECK(refusal(trace, "[0][0]").find("expected a cell such as") != std::string::npos);
    CHECK(refusal(trace, "keys[-7][0]").find("expected an index from -6 to 5 for token but received -7") !=
          std::string::npos);
    CHECK(refusal(trace, "keys[1x][0]").find("there is no token \"1x\"") != std::string::npos);
    const attn::Stage& translation = *attn::find_stage("encoder-decoder");
    const attn::StageTrace translated = attn::walk(translation, attn::journey(), translation.defaults);
    CHECK(attn::find_cell(translated, "weights[绿茶][green]").index == attn::Index{2, 2});
    attn::Lesson twice = attn::journey();
    twice.tokens[3] = "journey";
    try {
        attn::find_cell(attn::walk_causal(twice), "keys[journey][0]");
        FAIL("an ambiguous token");
    } catch (const attn::Error& error) {
        CHECK(std::string(error.what()).find("stands at 1, 3; give one of these indices") !=
              std::string::npos);
    }
}
