#include "own_words.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "file_use.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/numbered.hpp"
#include "text/replace.hpp"
#include "words/first_guesses.hpp"
#include "words/notions.hpp"

namespace attn {

namespace {

std::string lowered(std::string_view word) {
    std::string small(word);
    std::ranges::transform(small, small.begin(), to_lower);
    return small;
}

bool has_chinese(std::string_view word) {
    return std::ranges::any_of(word, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0xE4 && byte <= 0xE9;  // the first of U+4000 to U+9FFF in UTF-8
    });
}

// Returns .png for Plot.PNG; an empty text for a name without a dot.
std::string suffix_of(std::string_view name) {
    return lowered(name.substr(std::min(name.rfind('.'), name.size())));
}

// Small letters, and - for _.
std::string with_dashes(std::string_view word) {
    std::string small = lowered(word);
    std::ranges::replace(small, '_', '-');
    return small;
}

// `--num_heads` and `-num-heads` are written as --num-heads.
std::string usual_name(std::string_view name) {
    std::string usual = with_dashes(name);
    if (usual.size() > 2 && usual[1] != '-') {
        usual.insert(0, "-");
    }
    return usual;
}

std::vector<std::string> split_at_blanks(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

// True for an argument that only chooses questions: a word, a value, or an option of exercises that reads and
// writes no file. A sheet can be anybody's.
bool chooses_questions(const std::string& argument) {
    static const Declaration exercises(*find_command("exercises"));
    if (!is_option(argument)) {
        return find_command(argument) == nullptr && argument != "--";
    }
    const OptionRow* const row = exercises.find(argument.substr(0, argument.find('=')));
    return row != nullptr && row->type.find("FILE") == std::string::npos && !row->group.empty();
}

// Returns the options of the command line that a sheet of exercises, or its key, names; nothing if it names
// none, or an option that does more than choose questions.
std::vector<std::string> options_of_sheet(const std::string& path) {
    constexpr std::string_view command = "attn-walkthrough exercises";
    if (kind_of(path) != FileKind::file) {
        return {};
    }
    std::string text = read_source(path);
    replace_all(text, "{-}", "-");  // LaTeX
    const std::size_t at = text.find(command);
    if (at == std::string::npos) {
        return {};
    }
    constexpr std::size_t longest = 1000;
    const std::size_t from = at + command.size();
    text = text.substr(from, text.find_first_of("\"\r\n", from) - from);
    if (text.size() > longest) {
        return {};
    }
    std::vector<std::string> words = words_of_shell(text).value_or(std::vector<std::string>{});
    std::erase(words, "");
    return std::ranges::all_of(words, chooses_questions) ? words : std::vector<std::string>{};
}

// An argument: an option, its value, or a word. Words may name the command.
struct Argument {
    std::string text;
    bool is_word = false;
};

// Reads a command line, in which options of all commands and of the table can occur.
class Guesser {
public:
    explicit Guesser(const std::vector<std::string>& arguments) : arguments_(arguments) {
        for (const Command& command : commands()) {
            declared_.push_back(std::make_unique<Declaration>(command));
        }
        command_ = named_command();
        const std::string first = arguments.empty() ? "" : lowered(arguments.front());
        const std::string guessed = guess_entry("commands", first).value_or(first);
        subject_ = command_.empty() ? guessed.substr(0, guessed.find(' ')) : command_;
        for (const std::string& word : arguments) {  // also the dropout of `causal dropout --seed 1`
            const bool names_command = &word == arguments.data() || command_.empty();
            subject_ = names_command && !guess_entries("options of " + lowered(word)).empty() ? lowered(word)
                                                                                              : subject_;
        }
    }

    OwnWords read() {
        for (at_ = 0; at_ < arguments_.size() && arguments_[at_] != "--"; ++at_) {
            const std::string hint = command_ == "explain" ? first_guess("hints", arguments_[at_]) : "";
            if (is_option(arguments_[at_]) && hint.starts_with(explain_)) {  // explain -inf
                read_.push_back({hint.substr(explain_.size()), true});
            } else if (is_option(arguments_[at_])) {
                take_option();
            } else {
                take_word(arguments_[at_]);
            }
        }
        for (; at_ < arguments_.size(); ++at_) {
            read_.push_back({arguments_[at_]});
        }
        take_key();
        replace_format();
        take_chapter();
        if (command_.empty()) {
            guess_command();
        }
        take_other_language();
        if (command_ == "help" && asks_about_notion()) {
            rename_command("explain");
        }
        take_only_command();
        if (command_.empty() || command_ == "walk" || command_ == "list" || command_ == "diagnose" ||
            command_ == "compare") {
            take_loose_words();
        }
        if (command_ == "quiz" || command_ == "exercises") {
            take_words_about_questions();
        }
        if (command_ == "grade" && hands_in_code()) {
            rename_command("diagnose");
        }
        if (command_.empty() && !read_.empty() && read_.size() <= 2 && read_[0].text.starts_with("--lang")) {
            read_.insert(read_.begin(), {"help", true});
        }
        take_stage_of_options();
        take_head_width();
        take_partner();
        take_weights();
        read_.insert(read_.end(), last_.begin(), last_.end());
        own_.is_chinese = own_.is_chinese && !has_option({"--lang"});
        std::ranges::transform(read_, std::back_inserter(own_.arguments), &Argument::text);
        return std::move(own_);
    }

private:
    // Takes a word, also one that a number follows without a blank: `exercise3.1`.
    void take_word(const std::string& word) {
        const std::size_t number = std::min(word.find_first_of("0123456789"), word.size());
        const std::string before = lowered(word.substr(0, number));
        const bool is_command = find_command(before) != nullptr || guess_entry("commands", before);
        if (is_command && number < word.size() && !guess_entry("commands", lowered(word)) &&
            word.find_first_not_of("0123456789.", number) == std::string::npos &&
            kind_of(word) == FileKind::none) {
            read_.push_back({word.substr(0, number), true});
            read_.push_back({word.substr(number), true});
            return;
        }
        // A name or a question; with blanks and without `explain`, a sentence to walk through.
        const bool is_asked = command_ == "explain" || word.find(' ') == std::string::npos;
        own_.is_chinese =
            own_.is_chinese || (is_asked && has_chinese(word) && kind_of(word) == FileKind::none);
        read_.push_back({with_gradient_name(word), true});
    }

    std::string named_command() const {
        const auto found = std::ranges::find_if(
            arguments_, [](const std::string& word) { return find_command(word) != nullptr; });
        return found == arguments_.end() ? "" : *found;
    }

    const OptionRow* row_of(std::string_view name) const {
        for (const auto& one : declared_) {
            if (const OptionRow* const row = one->find(name)) {
                return row;
            }
        }
        return nullptr;
    }

    // W_query.grad, grad_W_query and dW_query are the step W_query_grad; explain reads the first, too.
    std::string with_gradient_name(const std::string& word) const {
        if (word.ends_with(".grad")) {
            return command_ == "explain" ? word : word.substr(0, word.size() - 5) + "_grad";
        }
        for (const std::string_view before : {"grad_", "dL/d", "d"}) {
            const std::string rest = word.substr(word.starts_with(before) ? before.size() : word.size());
            const bool is_name = before != "d" || (!rest.empty() && !is_lower(rest[0]) && rest[0] != '_');
            if (const std::string step =
                    is_name && !rest.empty() && kind_of(word) == FileKind::none ? usual_step(rest) : "";
                !step.empty()) {
                return step + "_grad";
            }
        }
        return word;
    }

    // Takes an option and its value.
    void take_option() {
        const std::string& argument = arguments_[at_];
        const std::size_t sign = std::min(argument.find('='), argument.size());
        std::string name = argument.substr(0, sign);
        std::optional<std::string> value;
        if (sign < argument.size()) {
            value = argument.substr(sign + 1);
        } else if (at_ + 1 < arguments_.size() && !is_option(arguments_[at_ + 1]) &&
                   arguments_[at_ + 1] != "--") {
            value = arguments_[at_ + 1];
        }
        const bool is_beside = sign < argument.size();  // the value stands in the same argument
        const std::size_t end = at_ + (value && !is_beside ? 1 : 0);
        if (value && name == "--tokens" && value->find(' ') != std::string::npos &&
            std::ranges::none_of(*value, [](char c) { return is_digit(c) || c == ','; })) {
            name = "--text";  // the words, and not the lengths that complexity compares
        }
        if (value && name == "--input" && kind_of(*value) == FileKind::file &&
            use_of(*value) == FileUse::text) {
            name = "--text";
        }
        if (is_guess("without effect", usual_name(name)) && row_of(name) == nullptr) {
            own_.without_effect.push_back(argument);
            return;
        }
        if (const auto whole = value ? std::nullopt : guess_entry("without a value", usual_name(name))) {
            push(split_at_blanks(*whole));
            return;
        }
        name = guess_entry("options of " + subject_, usual_name(name)).value_or(name);
        if (name.empty()) {  // the command needs no such option
            const bool has_value = value && !is_beside && !names_stage_or_step(*value);
            own_.without_effect.push_back(has_value ? argument + " " + *value : argument);
            at_ = has_value ? end : at_;
            return;
        }
        if (row_of(name) == nullptr && row_of(usual_name(name)) != nullptr) {
            name = usual_name(name);
        }
        if (row_of(name) == nullptr && !is_refused(name)) {
            if (const auto last = guess_entry("options at the end", usual_name(name)); last && !is_beside) {
                last_.push_back({*last});
                return;
            }
            if (const auto numbered =
                    value ? guess_entry("number in the value", usual_name(name)) : std::nullopt) {
                push({*numbered, std::string(number_in(*value))});
                at_ = end;
                while (value->find('=') != std::string::npos && is_next_word() &&
                       arguments_[at_ + 1].find('=') != std::string::npos) {  // also sci_mode=False
                    own_.without_effect.push_back(arguments_[++at_]);
                }
                return;
            }
            name = guess_entry("options", usual_name(name)).value_or(name);
            name = guess_entry("options of " + subject_, name).value_or(name);
        }
        if (value && is_guess("told by the suffix", name)) {
            read_.push_back({name});
            read_.push_back({*value});
            at_ = end;
            return;
        }
        // The built-in inputs have a width of 3; the reader's own may have another.
        const bool is_width = is_guess("told by the inputs", usual_name(name));
        name = is_width && !is_beside ? usual_name(name) : name;
        const bool is_of_inputs = is_width && has_own_inputs();
        if (value && !is_of_inputs) {
            if (const auto both = guess_entry("options", usual_name(name) + " " + lowered(*value))) {
                if (both->empty()) {
                    own_.without_effect.push_back(argument + (is_beside ? "" : " " + *value));
                }
                if (const Stage* const stage = stage_of_option(*both)) {  // `--mask none`
                    stage_asked_ = stage->name;
                    read_.push_back({stage_asked_, true});
                } else {
                    push(split_at_blanks(*both));
                }
                at_ = end;
                return;
            }
        }
        if (value && name.ends_with(" :")) {  // `--theta 500` is --rotary :500, or halves:500 beside heads
            const bool shows_both = std::ranges::any_of(arguments_, [](const std::string& word) {
                return !is_option(word) && stage_called(word) == find_stage("rotary");
            });
            push({name.substr(0, name.size() - 2), (shows_both ? ":" : "halves:") + *value});
            at_ = end;
            return;
        }
        const std::vector<std::string> words = split_at_blanks(name);
        const OptionRow* const row = words.empty() ? nullptr : row_of(words.front());
        if (row == nullptr && value && kind_of(*value) == FileKind::file) {
            // `--W_query wq.npy` replaces a tensor
            const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
            if (const std::string step = usual_step(bare); !step.empty()) {
                push({"--set", step + "=" + *value});
                at_ = end;
                return;
            }
        }
        if (row == nullptr) {
            const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
            std::uint64_t width = 0;
            if (value && is_guess("width of a head", usual_name(name)) && read_whole(*value, width)) {
                push({"--head-dim", *value});
                at_ = end;
                return;
            }
            if (chooses_device(name)) {  // --dtype float64, but not the stage after --cuda
                at_ = value && names_nothing(*value) ? end : at_;
                return;
            }
            if (!is_beside && find_command(bare) != nullptr) {
                read_.push_back({bare, true});
                command_ = command_.empty() ? bare : command_;
                return;
            }
            if (const Stage* const stage = is_beside ? nullptr : stage_of_option(name)) {
                stage_asked_ = stage->name;
                read_.push_back({stage_asked_, true});
                double number = 0.0;
                const auto setting = guess_entry("number of a stage", stage_asked_);
                if (value && setting && read_double(*value, number) == value->size()) {
                    push({*setting, *value});
                    at_ = end;
                }
                return;
            }
            if (value && judges_files() && kind_of(*value) == FileKind::file) {  // `--mine mine.npy`
                read_.push_back({*value, true});
                at_ = end;
                return;
            }
            read_.push_back({is_beside ? argument : name});
            if (value && !is_beside && !names_stage_or_step(*value) && find_command(*value) == nullptr) {
                read_.push_back({*value});  // not a file to write
                ++at_;
            }
            return;
        }
        if (value && row->type.empty() && is_guess("pictures", suffix_of(*value))) {  // `--plot weights.png`
            push({"--out", *value});
            at_ = end;
            return;
        }
        const bool needs_value = words.size() == 1 && !row->type.empty();
        if (needs_value && !value && row->without_value == nullptr && row->usual_value.empty()) {
            name = argument;  // the message names the option as it was typed
        }
        if (needs_value && is_beside) {
            read_.push_back({name + "=" + *value});
        } else if (is_beside) {
            read_.push_back({argument});
        } else {
            push(words.size() == 1 ? std::vector{name} : words);
            if (needs_value && value) {
                read_.push_back({*value});
                ++at_;
                while (row->type == "WORDS" && is_next_word()) {  // `--text The cat` without quotes
                    read_.back().text += " " + arguments_[++at_];
                }
            }
        }
    }

    // Replaces the key of `grade answers.csv --key key.md` by the options with which it was made.
    void take_key() {
        if (command_ != "grade") {
            return;
        }
        const auto beside =
            std::ranges::find_if(read_, [](const Argument& one) { return one.text.starts_with("--key="); });
        if (beside != read_.end()) {
            const std::string file = beside->text.substr(beside->text.find('=') + 1);
            *beside = {"--key"};
            read_.insert(beside + 1, {file});
        }
        const auto key = std::ranges::find(read_, "--key", &Argument::text);
        if (key == read_.end() || key + 1 == read_.end()) {
            return;
        }
        const std::vector<std::string> made = options_of_sheet((key + 1)->text);
        if (!made.empty()) {
            std::vector<Argument> words;
            for (const std::string& one : made) {
                words.push_back({one, !is_option(one)});
            }
            read_.insert(read_.erase(key, key + 2), words.begin(), words.end());
        }
    }

    // `quiz --out x.md` is meant as `exercises --out x.md`, if exercises has all given options.
    void take_partner() {
        const std::string partner = guess_entry("partners", command_).value_or("");
        const auto has_all = [&](std::string_view name) {
            const Declaration declared(*find_command(name));
            return std::ranges::all_of(read_, [&](const Argument& one) {
                return one.is_word ? one.text.find('[') == std::string::npos
                                   : !is_option(one.text) ||
                                         declared.find(one.text.substr(0, one.text.find('='))) != nullptr;
            });
        };
        const bool has_file = std::ranges::any_of(read_, [](const Argument& one) {
            return one.is_word && (one.text == "-" || one.text.find('.') != std::string::npos);
        });
        const bool is_possible = partner != "diagnose" || has_file;  // which needs a file
        if (!partner.empty() && is_possible && !has_all(command_) && has_all(partner)) {
            rename_command(partner);
        }
    }

    // True for a notebook or a folder, which diagnose judges.
    bool hands_in_code() const {
        return std::ranges::any_of(read_, [](const Argument& one) {
            return one.is_word && (lowered(one.text).ends_with(".ipynb") ||
                                   (kind_of(one.text) == FileKind::folder &&
                                    std::ranges::none_of(files_in(one.text), is_answer_file)));
        });
    }

    // True if the words name no command and no stage, but a notion or a step.
    bool asks_about_notion() const {
        std::vector<std::string> others;
        for (const Argument& one : read_) {
            if (one.is_word && find_command(one.text) == nullptr) {
                others.push_back(one.text);
            }
        }
        return others.size() == 1 && !names_stage(others.front()) &&
               (find_notion(others.front()) || names_stage_or_step(others.front()));
    }

    // Reads an option without dashes and its value: `seed 123`, `row 2`, `lang zh`.
    bool take_bare_option(std::size_t at) {
        if (at + 1 >= read_.size() || !read_[at + 1].is_word) {
            return false;
        }
        const std::string name = usual_name("--" + read_[at].text);
        const std::string meant = guess_entry("options", name).value_or(name);
        const OptionRow* const row = row_of(meant);
        const std::string value = read_[at + 1].text;
        if (row == nullptr || row->type.empty() || row->takes_words || row->type == "STEP") {
            return false;
        }
        const std::vector<std::string> values = choices(row->type);
        double number = 0.0;
        const bool names_row = row->type.find("TOKEN") != std::string::npos && !names_stage_or_step(value) &&
                               find_command(value) == nullptr && kind_of(value) == FileKind::none &&
                               !is_guess("fillers", lowered(value));
        if (!names_row && std::ranges::find(values, lowered(value)) == values.end() &&
            read_double(value, number) != value.size()) {
            return false;
        }
        read_[at] = {meant};
        read_[at + 1].is_word = false;
        return true;
    }

    // Reads `without mask` and `no dropout` as --no-mask and --no-dropout.
    bool take_negated_option(std::size_t at) {
        if (!is_guess("words for no", lowered(read_[at].text)) || at + 1 >= read_.size()) {
            return false;
        }
        const std::string plain = plain_spelling(read_[at + 1].text);
        const std::string option = "--no-" + plain;
        const auto meant = guess_entry("options", option);
        const Stage* const stage = stage_of_option(option);
        if (!meant && stage == nullptr && first_guess("hints", option).empty()) {
            return false;
        }
        read_.erase(read_.begin() + std::ptrdiff_t(at));
        if (stage != nullptr) {
            stage_asked_ = stage->name;
            read_[at] = {stage_asked_, true};
            return true;
        }
        replace(at, meant.value_or(option));
        return true;
    }

    // Returns the stage that an option without a row names: --no-mask, --rope, --kv-cache; or null.
    static const Stage* stage_of_option(std::string_view option) {
        const std::string bare(option.substr(std::min(option.find_first_not_of('-'), option.size())));
        const Stage* const stage = find_stage(bare);
        return stage != nullptr ? stage : find_stage(first_guess("stages", bare));
    }

    // True for an argument that can only be the value of the option before it.
    static bool names_nothing(const std::string& word) {
        return word.find(' ') == std::string::npos && !names_stage_or_step(word) &&
               find_command(word) == nullptr && kind_of(word) == FileKind::none;
    }

    // Reads `5`, `5 questions`, `answers` and the name of a step as options. Questions have no levels.
    void take_words_about_questions() {
        for (std::size_t i = 0; i < read_.size(); ++i) {
            const std::string text = lowered(read_[i].text);
            std::uint64_t count = 0;
            if (!read_[i].is_word || text == command_ || names_stage(text) || take_bare_option(i)) {
                continue;
            }
            const auto with_key = guess_entry("without a value", "--" + text);
            const std::string step = usual_step(read_[i].text);
            const std::optional<Notion> notion = step.empty() ? find_notion(text) : std::nullopt;
            if (read_whole(text, count) || text.ends_with("题")) {
                replace(i, "--count " + std::string(number_in(text)));
            } else if (with_key && with_key->starts_with("--key") && command_ == "exercises") {
                replace(i, has_option({"--key"}) ? "" : *with_key);
            } else if (is_guess("words about questions", text) || is_guess("fillers", text)) {
                read_.erase(read_.begin() + std::ptrdiff_t(i--));
            } else if (is_guess("levels of questions", text)) {
                own_.without_effect.push_back(text);
                read_.erase(read_.begin() + std::ptrdiff_t(i--));
            } else if (!step.empty()) {
                replace(i, "--step " + step);
            } else if (notion && std::ranges::none_of(read_, [](const Argument& one) {
                           return one.is_word && names_stage(one.text);
                       })) {  // `quiz softmax`
                replace(i, notion->stage + " --step " + notion->step);
            }
        }
    }

    bool judges_files() const {
        return command_ == "diagnose" || command_ == "compare" || command_ == "grade";
    }

    // `list exercises` and `show errata` mean the second command.
    void take_only_command() {
        const auto is_command = [&](const Argument& one) {
            return one.is_word && one.text != command_ && one.text != "walk" &&
                   find_command(one.text) != nullptr;
        };
        const auto other = std::ranges::find_if(read_, is_command);
        if ((command_ == "walk" || command_ == "list") && other != read_.end()) {
            const std::string name = other->text;
            read_.erase(std::ranges::find(read_, command_, &Argument::text));
            command_ = name;
        }
        const auto first = std::ranges::find_if(read_, &Argument::is_word);
        const std::string meant =
            first == read_.end() ? "" : guess_entry("commands", lowered(first->text)).value_or("");
        if (!command_.empty() && first->text != command_ && (meant == "walk" || meant == "list")) {
            read_.erase(first);
        }
    }

    // The whole chapter needs no number: `chapter 3` lists it, and `exercises --chapter 3` is about it.
    void take_chapter() {
        bool is_asked = false;
        for (std::size_t i = 0; i < read_.size(); ++i) {
            const std::string two =
                read_[i].text + (i + 1 < read_.size() ? read_[i + 1].text : std::string());
            const std::size_t count = is_guess("the whole chapter", plain_spelling(read_[i].text)) ? 1
                                      : is_guess("the whole chapter", plain_spelling(two))         ? 2
                                                                                                   : 0;
            const auto at = read_.begin() + std::ptrdiff_t(i);
            if (count > 0) {
                read_.erase(at, at + std::ptrdiff_t(count));
                is_asked = true;
                --i;
            }
        }
        if (is_asked && command_.empty() && std::ranges::none_of(read_, &Argument::is_word)) {
            command_ = "list";
            read_.insert(read_.begin(), {command_, true});
        }
    }

    // An option can name a stage, as --no-mask names linear, or be of one, as --window is of sliding-window.
    // This stage is meant in place of the only other one.
    void take_stage_of_options() {
        const auto is_other = [&](const Argument& one) {
            return one.is_word && one.text != stage_asked_ && names_stage(one.text);
        };
        const auto other = std::ranges::find_if(read_, is_other);
        const bool is_one = other != read_.end() && std::ranges::count_if(read_, is_other) == 1;
        if (!is_one || has_option({"--weights"})) {  // of given weights, each stage shows a layer or a head
            return;
        }
        if (!stage_asked_.empty() && stage_asked_ != "causal") {
            const std::string with_heads = guess_entry("stages with heads", stage_asked_).value_or("");
            if (uses_all_options(*find_stage(stage_asked_))) {
                read_.erase(other);
            } else if (!with_heads.empty()) {  // multi-head --rope
                read_.erase(other);
                const auto asked = std::ranges::find(read_, stage_asked_, &Argument::text);
                replace(std::size_t(asked - read_.begin()), with_heads);
            }
            return;
        }
        const Stage* const named = stage_called(other->text);
        if (named == nullptr || named->group != StageGroup::documents) {
            return;
        }
        for (Argument& one : read_) {
            const ParameterOption* const option = parameter_in(one);
            const std::string meant =
                option == nullptr ? ""
                                  : guess_entry("where a stage lacks the option", option->name).value_or("");
            if (meant.empty() || uses_option(*named, *option) ||
                (option->name == "--focus" && has_option({"--backward"}))) {
                continue;
            }
            if (const Stage* const stage = find_stage(meant); stage == nullptr) {
                one.text.replace(0, option->name.size(), meant);
            } else if (uses_all_options(*stage)) {
                other->text = meant;
                return;
            }
        }
    }

    bool uses_all_options(const Stage& stage) const {
        return std::ranges::all_of(read_, [&](const Argument& one) {
            const ParameterOption* const given = parameter_in(one);
            return given == nullptr || uses_option(stage, *given);
        });
    }

    // Reads the width of each head as that of all heads together: --d-out.
    void take_head_width() {
        const auto width = std::ranges::find(read_, "--head-dim", &Argument::text);
        std::uint64_t number = 0;
        if (width == read_.end() || width + 1 == read_.end() || !read_whole((width + 1)->text, number)) {
            return;
        }
        const auto named = std::ranges::find_if(
            read_, [](const Argument& one) { return one.is_word && stage_called(one.text) != nullptr; });
        const Stage& stage = named == read_.end() ? *find_stage("causal") : *stage_called(named->text);
        std::uint64_t heads = stage.defaults.num_heads;
        const auto given = std::ranges::find(read_, "--heads", &Argument::text);
        if (given != read_.end() && given + 1 != read_.end()) {
            read_whole((given + 1)->text, heads);
        }
        width->text = "--d-out";
        (width + 1)->text = std::to_string(stage.head_layout == HeadLayout::split ? number * heads : number);
    }

    static const ParameterOption* parameter_in(const Argument& argument) {
        const std::string name = argument.text.substr(0, argument.text.find('='));
        const auto found = std::ranges::find(parameter_options(), name, &ParameterOption::name);
        return found == parameter_options().end() ? nullptr : &*found;
    }

    // Reads `5 to 8` as 5-8, and `first 3 steps` as 1-3.
    bool take_range(std::size_t at) {
        const auto number_at = [&](std::size_t i) {
            std::uint64_t number = 0;
            return i < read_.size() && read_[i].is_word && read_whole(read_[i].text, number);
        };
        const std::string text = lowered(read_[at].text);
        if (text == "first" && number_at(at + 1)) {
            read_[at + 1].text = "1-" + read_[at + 1].text;
            read_.erase(read_.begin() + std::ptrdiff_t(at));
            if (at + 1 < read_.size() && lowered(read_[at + 1].text).starts_with("step")) {
                read_.erase(read_.begin() + std::ptrdiff_t(at) + 1);
            }
            return true;
        }
        if (!is_guess("words for a range", text) || at == 0 || !number_at(at - 1) || !number_at(at + 1)) {
            return false;
        }
        read_[at - 1].text += "-" + read_[at + 1].text;
        read_.erase(read_.begin() + std::ptrdiff_t(at), read_.begin() + std::ptrdiff_t(at) + 2);
        return true;
    }

    // Reads `gradient of keys` and `gradient causal keys` as keys_grad.
    bool take_gradient_of(std::size_t at) {
        if (guess_entry("options", "--" + lowered(read_[at].text)) != "--backward") {
            return false;
        }
        const auto names_step = [](const Argument& one) {
            return one.is_word && !names_stage(one.text) && !usual_step(one.text).empty();
        };
        const auto behind = read_.begin() + std::ptrdiff_t(at) + 1;
        const auto step = std::find_if(behind, read_.end(), names_step);
        if (step == read_.end()) {
            return false;
        }
        step->text = usual_step(step->text) + "_grad";
        read_.erase(behind - 1);
        return true;
    }

    // True for a token of the built-in lesson beside a step: `causal keys journey` asks for this row.
    bool is_token_beside_step(const std::string& word) const {
        const std::vector<std::string>& tokens = built_in_lesson().tokens;
        return !has_own_inputs() && std::ranges::find(tokens, word) != tokens.end() &&
               !is_guess("fillers", word) && word != "step" &&
               std::ranges::any_of(read_, [](const Argument& one) {
                   return one.is_word && !names_stage(one.text) && names_stage_or_step(one.text);
               });
    }

    // Reads words without dashes that name an option, a value of one, a command or a file to write: `causal
    // zh`, `causal heatmap`, `causal steps`, `causal to causal.html`. Drops words such as `to`. A file that
    // could as well be read is written only after such a word, because its name may be misspelt.
    void take_loose_words() {
        const auto is_word = [](const Argument& one) { return one.is_word; };
        const bool asks_to_write = std::ranges::any_of(arguments_, [](const std::string& word) {
            return is_guess("words before a file to write", word);
        });
        for (std::size_t i = 0; i < read_.size(); ++i) {
            const std::string text = lowered(read_[i].text);
            if (!read_[i].is_word || text.starts_with('-') || find_command(text) != nullptr ||
                kind_of(text) != FileKind::none || names_stage_or_step(read_[i].text)) {
                continue;
            }
            if (take_gradient_of(i)) {
                --i;
                continue;
            }
            if (text == "step" && i + 2 < read_.size() && read_[i + 1].text == "by" &&
                read_[i + 2].text == read_[i].text) {
                read_.erase(read_.begin() + std::ptrdiff_t(i), read_.begin() + std::ptrdiff_t(i) + 3);
                last_.push_back({"--step"});
                --i;
                continue;
            }
            if (take_negated_option(i) || take_range(i) || take_bare_option(i)) {
                continue;
            }
            if (is_token_beside_step(read_[i].text)) {
                replace(i, "--rows " + read_[i].text);
                continue;
            }
            const std::string option = "--" + text;
            const OptionRow* const row = row_of(option);
            const std::string meant = guess_entry("options", option).value_or("");
            const OptionRow* const guessed = row_of(meant);
            const bool is_first = std::ranges::find_if(read_, is_word) == read_.begin() + std::ptrdiff_t(i);
            const auto command = guess_entry("commands", text);
            if ((row != nullptr && row->type.empty()) || (guessed != nullptr && guessed->type.empty()) ||
                meant.find(' ') != std::string::npos) {
                replace(i, row != nullptr && row->type.empty() ? option : meant);
            } else if (command && command_.empty() && !is_first) {
                replace(i, *command);
                command_ = read_[i].text;
            } else if (const FileFormat* const format = format_of_suffix(text);
                       format != nullptr && command_ != "diagnose" &&
                       (is_guess("only written", format->suffix) || asks_to_write)) {
                replace(i, "--out " + read_[i].text);
            } else if ((is_guess("fillers", text) || (command && *command == command_)) &&
                       std::ranges::count_if(read_, is_word) > 1) {
                read_.erase(read_.begin() + std::ptrdiff_t(i--));
            }
        }
    }

    // Reads files without a command by their content: embeddings and weights are walked on, answers are
    // graded, other numbers are diagnosed. Beside weights, numbers are embeddings.
    void take_files() {
        const bool is_alone =
            std::ranges::count_if(read_, [](const Argument& one) { return one.is_word; }) == 1;
        std::vector<std::pair<std::size_t, FileUse>> files;
        for (std::size_t i = 0; i < read_.size(); ++i) {
            if (read_[i].is_word && kind_of(read_[i].text) == FileKind::file) {
                files.emplace_back(i, use_of(read_[i].text));
            }
        }
        const bool has_weights =
            std::ranges::any_of(files, [](const auto& file) { return file.second == FileUse::weights; });
        for (auto file = files.rbegin(); file != files.rend(); ++file) {  // places behind change
            const auto [at, content] = *file;
            const FileUse use = has_weights && content == FileUse::numbers ? FileUse::input : content;
            const std::string option = use == FileUse::input     ? "--input"
                                       : use == FileUse::weights ? "--weights"
                                       : use == FileUse::text    ? "--text"
                                                                 : "";
            if (use == FileUse::weights && is_alone && lowered(read_[at].text).ends_with(".safetensors")) {
                command_ = "list";
            } else if (option.empty()) {
                command_ = use == FileUse::answers ? "grade" : "diagnose";
            } else {
                read_[at].is_word = false;
                read_.insert(read_.begin() + static_cast<std::ptrdiff_t>(at), {option});
            }
        }
        if (!command_.empty()) {
            read_.insert(read_.begin(), {command_, true});
        }
    }

    // Replaces an argument by the words of a text. A stage is not named twice.
    void replace(std::size_t at, const std::string& text) {
        const auto place = read_.erase(read_.begin() + std::ptrdiff_t(at));
        std::vector<Argument> words;
        for (const std::string& one : split_at_blanks(text)) {
            if (std::ranges::find(read_, one, &Argument::text) == read_.end() || is_option(one)) {
                words.push_back({one, find_command(one) != nullptr});
            }
        }
        read_.insert(place, words.begin(), words.end());
    }

    bool has_own_inputs() const {
        return std::ranges::any_of(arguments_, [](const std::string& argument) {
            return argument.starts_with("--input") || argument.starts_with("--text");
        });
    }

    // True if the next argument is a word that names nothing.
    bool is_next_word() const {
        return at_ + 1 < arguments_.size() && !is_option(arguments_[at_ + 1]) &&
               arguments_[at_ + 1] != "--" && find_command(arguments_[at_ + 1]) == nullptr &&
               !names_stage_or_step(arguments_[at_ + 1]);
    }

    void push(const std::vector<std::string>& options) {
        for (const std::string& one : options) {
            read_.push_back({one});
        }
    }

    // True for an option that another option of the command would only seem to mean.
    bool is_refused(std::string_view name) const {
        return guess_entry("options of " + subject_, usual_name(name)) == usual_name(name);
    }

    bool has_option(std::initializer_list<std::string_view> names) const {
        return std::ranges::any_of(read_, [&](const Argument& one) {
            return std::ranges::find(names, one.text.substr(0, one.text.find('='))) != names.end();
        });
    }

    // `--format html` says nothing new beside `--out x.html`; without it, the text goes to standard output.
    void replace_format() {
        const auto option = std::ranges::find_if(
            read_, [](const Argument& one) { return is_guess("told by the suffix", one.text); });
        if (option == read_.end() || option + 1 == read_.end()) {
            return;
        }
        const auto both = guess_entry("options", option->text + " " + lowered((option + 1)->text));
        const bool has_file = has_option({"--out", "-o", "--key"});
        if (has_file || both) {
            if (has_file) {
                own_.without_effect.push_back(option->text + " " + (option + 1)->text);
            }
            const auto next = read_.erase(option, option + 2);
            std::vector<Argument> words;
            for (const std::string& one : split_at_blanks(has_file ? "" : *both)) {
                words.push_back({one});
            }
            read_.insert(next, words.begin(), words.end());
        }
    }

    // `code causal --lang cpp`: a script is in Python, but lines in another language are shown with --code.
    void take_other_language() {
        const auto script = std::ranges::find(read_, "-.py", &Argument::text);
        const auto language = std::ranges::find(read_, "--code", &Argument::text);
        if (script != read_.end() && script != read_.begin() && (script - 1)->text == "--out" &&
            language != read_.end() && language + 1 != read_.end() && (language + 1)->text == "cpp") {
            read_.erase(script - 1, script + 1);
        }
    }

    // A file of which a layer or a head is asked for contains weights.
    void take_weights() {
        const auto file = std::ranges::find_if(read_, [](const Argument& one) {
            return one.is_word && lowered(one.text).ends_with(".safetensors");
        });
        if (file != read_.end() && (command_ == "list" || command_ == "diagnose") &&
            has_option({"--layer", "--head"}) && !has_option({"--weights"})) {
            file->is_word = false;
            read_.insert(file, {"--weights"});
            rename_command("walk");
        }
    }

    void rename_command(std::string_view name) {
        const auto word = std::ranges::find(read_, command_, &Argument::text);
        word->text = name;
        command_ = name;
    }

    bool names_only_weights() const {
        return std::ranges::any_of(read_, [](const Argument& one) {
            return one.is_word && lowered(one.text).ends_with(".safetensors") &&
                   kind_of(one.text) == FileKind::file && use_of(one.text) == FileUse::weights;
        });
    }

    // Replaces the first word by a command, or puts `explain` in front of a question.
    void guess_command() {
        const auto word = std::ranges::find_if(read_, &Argument::is_word);
        if (word == read_.end()) {
            return;
        }
        const std::string text = lowered(word->text);
        if (const auto known = guess_entry("commands", text)) {
            std::vector<Argument> words;
            for (const std::string& one : split_at_blanks(*known)) {
                words.push_back({one, !is_option(one)});
            }
            command_ = words.front().text;
            if (command_ == "diagnose" && names_only_weights()) {  // `inspect w.safetensors`
                command_ = words.front().text = "list";
            }
            const auto at = read_.erase(word);
            read_.insert(at, words.begin(), words.end());
            return;
        }
        const auto file = std::ranges::find_if(read_, [](const Argument& one) {
            return one.is_word && one.text.find('.') != std::string::npos &&
                   kind_of(one.text) == FileKind::file;
        });
        if (file != read_.end()) {
            take_files();
            return;
        }
        const bool is_question = std::ranges::any_of(guess_entries("commands"), [&](const auto& one) {
            const bool is_sentence = text.size() > one.first.size() && text.starts_with(one.first) &&
                                     (text[one.first.size()] == ' ' || !is_lower(one.first.back()));
            return one.second == "explain" && is_sentence;
        });
        double number = 0.0;  // 0.5517, and not the section 3.5
        const bool is_number = read_double(text, number) == text.size() &&
                               text.find('.') != std::string::npos && !names_stage(text);
        const bool is_notion = read_.size() == 1 && text.find(' ') == std::string::npos &&
                               format_of_suffix(text) == nullptr && find_notion(text) &&
                               !names_stage_or_step(word->text);
        const bool has_cell = std::ranges::any_of(read_, [](const Argument& one) {
            return one.is_word && one.text.ends_with(']') && one.text.find(' ') == std::string::npos &&
                   kind_of(one.text) == FileKind::none;
        });
        if (is_question || is_notion || is_number || has_cell) {
            command_ = "explain";
            read_.insert(word, {command_, true});
        }
    }

    static constexpr std::string_view explain_ = "attn-walkthrough explain ";

    const std::vector<std::string>& arguments_;
    std::vector<std::unique_ptr<Declaration>> declared_;
    std::string command_;      // empty if the command line names none
    std::string stage_asked_;  // the stage that an option named
    OwnWords own_;
    std::string subject_;  // the word whose options are read: the command, or the first word
    std::size_t at_ = 0;   // index of the argument that is read
    std::vector<Argument> read_;
    std::vector<Argument> last_;  // options that stand at the end
};

}  // namespace

OwnWords in_own_words(const std::vector<std::string>& arguments) {
    const auto named = std::ranges::find_if(
        arguments, [](const std::string& word) { return find_command(word) != nullptr; });
    const bool is_hidden =
        named != arguments.end() && std::ranges::find(commands(), *named, &Command::name) == commands().end();
    return is_hidden ? OwnWords{arguments, {}, false} : Guesser(arguments).read();
}

bool is_option(std::string_view argument) {
    const std::string_view name = argument.substr(std::min(argument.find_first_not_of('-'), argument.size()));
    return argument.starts_with('-') && !name.empty() && !is_digit(name[0]) && name[0] != '.';
}

std::string first_guess(std::string_view list, std::string_view word) {
    const bool is_name = list == "stages" || list.starts_with("steps");
    if (is_name) {
        return guess_entry(list, plain_spelling(word)).value_or("");
    }
    const std::string small = is_option(word) ? with_dashes(word) : lowered(word);
    return guess_entry(list, small.substr(std::min(small.find_first_not_of('-'), small.size()))).value_or("");
}

bool chooses_device(std::string_view option) {
    return is_guess("float32 on the CPU", usual_name(option));
}

std::string plain_spelling(std::string_view word) {
    std::string plain = lowered(word);
    std::erase_if(plain, [](char c) { return is_one_of(c, "-_ "); });
    return plain;
}

}  // namespace attn
