#include "answers/answers.hpp"
#include "commands/declare.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

void declare_grade(Declaration& declared, Options& options) {
    add_questions(declared, options);
    // in_own_words() replaces it by the options of the file, unless it finds none.
    declared.add({.name = "--key",
                  .type = "FILE",
                  .help = "Sheet or key; it names the options it was made with",
                  .target = [](const std::string& file) {
                      if (file != "-" && !is_file_or_pipe(file)) {
                          read_source(file);  // says that it is missing
                      }
                      throw Error(
                          "--key: expected a sheet or key of attn-walkthrough exercises, with the same "
                          "--input and --weights here, but received {}.",
                          in_quotes(file));
                  }});
    add_steps(declared, options);
    add_parameters(declared, options, {"--seed", "--d-out", "--heads"});
    add_input(declared, options);
    add_out(declared, options, "Scores, as .csv", ".csv");
    add_general(declared, options);
    add_precision(declared, options);
}

}  // namespace

Command grade_command() {
    return {
        .name = "grade",
        .summary = "Mark answers to a sheet of exercises made with the same options.",
        .words = "[STAGE…|EXERCISE] ANSWERS…|-",
        .examples = {{"attn-walkthrough grade answers.json", "answers by number, {\"1\": \"0.5517\"}"},
                     {"attn-walkthrough grade ada.json ben.json", "students; also .csv, .ipynb, .md"},
                     {"attn-walkthrough grade 3.2 answers.json", "answers to the book's exercise 3.2"}},
        .run = run_grade,
        .declare = declare_grade,
    };
}

}  // namespace attn
