// The passes over a command line in own words. Each replaces one kind of words and leaves all others.
#pragma once

#include <cstddef>
#include <string>

#include "own_words/guessed_line.hpp"

namespace attn {

// ---- reading what was typed -----------------------------------------------------------------------------

// Takes an option and its value. Returns the index of the next argument in line.typed.
std::size_t take_option(GuessedLine& line, std::size_t at);
// Takes a word, also one that a number follows without a blank: `exercise3.1`.
void take_word(GuessedLine& line, const std::string& word);

// ---- files ----------------------------------------------------------------------------------------------

// `--format html` says nothing new beside `--out x.html`; without it, the text goes to standard output.
void take_format(GuessedLine& line);
// `code causal --lang cpp`: a script is in Python, but lines in another language are shown with --code.
void take_other_language(GuessedLine& line);
// Reads files without a command by their content: embeddings and weights are walked on, answers are graded,
// other numbers are diagnosed. Beside weights, numbers are embeddings.
void take_files(GuessedLine& line);
// A file of which a layer or a head is asked for contains weights.
void take_weights(GuessedLine& line);

// ---- the command ----------------------------------------------------------------------------------------

// The whole chapter needs no number: `chapter 3` lists it, and `exercises --chapter 3` is about it.
void take_chapter(GuessedLine& line);
// Replaces the first word by a command, or puts `explain` in front of a question.
void take_command(GuessedLine& line);
// `list exercises` and `show errata` mean the second command.
void take_only_command(GuessedLine& line);
// `quiz --out x.md` is meant as `exercises --out x.md`, if exercises has all given options.
void take_partner(GuessedLine& line);
// `help softmax` is a question, and `--lang zh` alone asks for help.
void take_other_command(GuessedLine& line);

// ---- words without dashes -------------------------------------------------------------------------------

// Reads words without dashes that name an option, a value of one, a command or a file to write: `causal zh`,
// `causal heatmap`, `causal steps`, `causal to causal.html`. Drops words such as `to`. A file that could as
// well be read is written only after such a word, because its name may be misspelt.
void take_loose_words(GuessedLine& line);
// Reads an option without dashes and its value: `seed 123`, `seed=123`, `row 2`, `lang zh`.
bool take_bare_option(GuessedLine& line, std::size_t& at);

// ---- questions ------------------------------------------------------------------------------------------

// Replaces the key of `grade answers.csv --key key.md` by the options with which it was made. A sheet is
// graded, and a notebook without a key is diagnosed.
void take_key(GuessedLine& line);
// Reads `explain exercise 3.1` and `list exercise 3.1` as `exercises 3.1`.
void take_exercise(GuessedLine& line);
// Reads `5`, `ten questions`, `answers` and the name of a step as options of quiz and exercises. Questions
// have no levels. Drops the words of `grade my answers`, which name no file.
void take_words_about_questions(GuessedLine& line);

// ---- the stage ------------------------------------------------------------------------------------------

// An option can name a stage, as --no-mask names linear, or be of one, as --window is of sliding-window. This
// stage is meant in place of the only other one.
void take_stage_of_options(GuessedLine& line);
// Reads the width of each head as that of all heads together: --d-out.
void take_head_width(GuessedLine& line);

}  // namespace attn
