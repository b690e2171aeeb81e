// The options of commands, as rows. command_line.cpp declares them with CLI11; help, completions, manual page
// and form read them. Options that several commands share have a function each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "commands/command.hpp"
#include "text/message.hpp"

namespace attn {

// The group of options that only --help-all shows. Options without a group are hidden.
inline constexpr std::string_view rare = "More";

// A whole number in this range.
struct Whole {
    std::uint64_t least, most;
    std::function<void(std::uint64_t)> take;
};
// One of the values of a type such as torch|numpy|cpp, as its index.
struct Choice {
    std::function<void(std::size_t)> take;
};
// Any text; the function may throw Error. A switch calls it with an empty text.
using Take = std::function<void(const std::string&)>;
// The texts of a repeatable option.
using TakeAll = std::function<void(const std::vector<std::string>&)>;

// Returns targets that fill a variable.
template <typename Number>
Whole whole(Number& number, std::uint64_t least, std::uint64_t most) {
    return {least, most, [&number](std::uint64_t value) { number = static_cast<Number>(value); }};
}
template <typename Enum, typename Variable>
Choice choice(Variable& variable) {
    return {[&variable](std::size_t value) { variable = static_cast<Enum>(value); }};
}

struct OptionRow {
    std::string name;              // --out
    std::string short_name = "";   // -o
    Names names = Names::nothing;  // a step or a file, for example
    // Type of the value, as the help shows it: N, FILE|- or en|zh; empty for a switch. Declaration::add sets
    // the usual type of what the value names.
    std::string type = "";
    std::string help = "";
    // Where the value goes. A list makes the option repeatable.
    std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*, Whole, Choice,
                 Take, TakeAll>
        target;
    std::vector<std::string> needs = {};     // other options that must be given
    std::vector<std::string> excludes = {};  // other options that cannot be given
    std::string group = "";                  // set by Declaration::add
    bool* without_value = nullptr;           // set if the option is given without a value; null: it needs one
    std::string usual_value = "";            // used if the option is given without a value
    bool takes_words = false;                // true: words that follow no option are values, too

    bool is_repeatable() const {
        return std::holds_alternative<std::vector<std::string>*>(target) ||
               std::holds_alternative<TakeAll>(target);
    }
};

// A command with its options declared.
struct Declaration {
    explicit Declaration(const Command& command);
    Declaration(const Declaration&) = delete;  // the rows point to the values

    // Takes the values of the command's options, and the function that runs the command with them. Declares
    // the options of every command.
    void begin(std::shared_ptr<Options> values, std::function<ExitCode()> run_it);
    // Adds an option to the group that was begun last.
    void add(OptionRow row);
    // Starts a group of options in the help.
    void begin_group(std::string_view group) { group_ = group; }

    // Returns the options that the help shows.
    std::vector<const OptionRow*> shown() const;
    // Returns the option with this long or short name, or null.
    const OptionRow* find(std::string_view name) const;

    const Command& command;
    std::shared_ptr<Options> options;  // the values that every command has
    std::function<ExitCode()> run;     // runs the command with its values; throws Error
    std::vector<OptionRow> rows;
    bool takes_any_words = false;  // true: after the first word, all that follows are words

private:
    std::string group_;
};

// Returns the function that declares a command. It makes values of the command's own type, and `run` gets
// them. `add_options` adds the options that fill them; a command without options leaves it out.
template <typename Values>
std::function<void(Declaration&)> declaring(ExitCode (*run)(Values&),
                                            void (*add_options)(Declaration&, Values&) = nullptr) {
    return [=](Declaration& declared) {
        const auto values = std::make_shared<Values>();
        declared.begin(values, [=] { return run(*values); });
        if (add_options != nullptr) {
            add_options(declared, *values);
        }
    };
}

// Throws Error for a wrong value of an option.
[[noreturn]] void refuse_value(const OptionRow& row, const Message& expected, const std::string& text);
// Returns the option with this name, of any command; or null.
const OptionRow* find_option(std::string_view name);

// Returns the possible values of a type such as `torch|numpy|cpp`: its parts in lower case.
std::vector<std::string> choices(std::string_view type);

// Runs a command that has no options of its own, such as help, with these words and general options.
ExitCode run_instead(std::string_view name, const Options& options);

// Adds --lang, --color, --no-pager and --threads.
void add_general(Declaration& declared, Options& options);
// Adds --seed, --heads and so on; the short help shows only those in `shown`. Adds --input, --weights and the
// options that belong to them.
void add_run(Declaration& declared, RunOptions& options, const std::vector<std::string_view>& shown);
void add_set(Declaration& declared, StepOptions& options);
void add_steps(Declaration& declared, std::vector<std::string>& steps);
void add_precision(Declaration& declared, PrintOptions& print);
void add_json(Declaration& declared, RunOptions& options, const std::string& help);
// Adds --out FILE, for files with one of the suffixes; empty: with all.
void add_out(Declaration& declared, RunOptions& options, const std::string& help,
             std::string_view suffixes = "");
// Adds --count and --quiz-seed.
void add_questions(Declaration& declared, QuestionOptions& options);

}  // namespace attn
