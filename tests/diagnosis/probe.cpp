// Diagnoses pastes without some of the known mistakes, for hidden.py. Reads lines from standard input:
//
//     UNKNOWN|- STAGE SEED D_OUT HEADS DROPOUT HEX
//
// UNKNOWN lists the ids of mistakes that are not tried, with commas between them; HEX gives the bytes of the
// paste. Answers each line with the best match of the first tensor as JSON, or with null.
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/diagnosis_json.hpp"
#include "printed/reader.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"

namespace {

std::string answer(const std::string& line) {
    std::istringstream words(line);
    words.exceptions(std::ios::failbit);
    std::string unknown;
    std::string stage;
    std::string hex;
    attn::Parameters given;
    words >> unknown >> stage >> given.seed >> given.d_out >> given.num_heads >> given.dropout >> hex;
    attn::Candidate candidate{attn::find_stage(stage), attn::find_stage(stage)->defaults};
    candidate.parameters.seed = given.seed;
    candidate.parameters.d_out = given.d_out;
    candidate.parameters.num_heads = given.num_heads;
    candidate.parameters.dropout = given.dropout;
    for (const attn::ParameterRow& row : attn::parameter_table()) {
        candidate.given.push_back(row.name);
    }
    std::string text;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    const attn::Lesson lesson = attn::built_in_lesson();
    attn::Question question{lesson, {}, {candidate}};
    for (std::size_t from = 0; from < unknown.size();) {
        const std::size_t to = std::min(unknown.find(',', from), unknown.size());
        question.unknown.push_back(std::string_view(unknown).substr(from, to - from));
        from = to + 1;
    }
    const std::vector<attn::Diagnosis> found =
        attn::diagnose(attn::read_tensors(text, "paste").tensors, question);
    return found.at(0).matches.empty()
               ? "null"
               : attn::json_text(attn::match_json(found[0].matches.front()), attn::JsonLayout::compact);
}

}  // namespace

int main() {
    try {
        for (std::string line; std::getline(std::cin, line);) {
            std::cout << answer(line) << "\n" << std::flush;
        }
    } catch (const std::exception& error) {
        std::cerr << "attn-diagnosis-probe: " << error.what() << "\n";
        return 2;
    }
    return 0;
}
