// Options of other programs. Each reader takes one kind of option, or leaves it to the next reader.
#include <algorithm>
#include <array>
#include <optional>

#include "commands/words.hpp"
#include "exports.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "own_words/passes.hpp"
#include "spelling.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/numbered.hpp"
#include "text/split.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

struct GivenOption {
    std::string argument;  // as typed
    std::string name;      // as it was read so far
    std::optional<std::string> value{};
    bool is_beside = false;  // the value stands in the same argument, behind =
    std::size_t next;        // the index of the next argument

    void use_value() { next += value && !is_beside ? 1 : 0; }
    // Appends an option with this value.
    void append_to(GuessedLine& line, const std::string& option) {
        line.append({option, *value});
        use_value();
    }
    // Returns the argument with the value.
    std::string whole() const { return is_beside || !value ? argument : argument + " " + *value; }
    std::string bare() const { return std::string(bare_name(name)); }
    const OptionRow* row() const { return find_option(up_to(name, " ")); }
};

bool is_next_word(const GuessedLine& line, std::size_t next) {
    return next < line.typed.size() && !is_option(line.typed[next]) && line.typed[next] != "--" &&
           find_command(line.typed[next]) == nullptr && !names_stage_or_step(line.typed[next]);
}

bool is_file(const std::optional<std::string>& value) {
    return value && kind_of(*value) == FileKind::file;
}

GivenOption given_option(const GuessedLine& line, std::size_t at) {
    const std::string& argument = line.typed[at];
    const std::size_t sign = std::min(argument.find('='), argument.size());
    GivenOption option{.argument = argument, .name = argument.substr(0, sign), .next = at + 1};
    option.is_beside = sign < argument.size();
    if (option.is_beside) {
        option.value = argument.substr(sign + 1);
    } else if (at + 1 < line.typed.size() && !is_option(line.typed[at + 1]) && line.typed[at + 1] != "--") {
        option.value = line.typed[at + 1];
    }
    return option;
}

bool take_without_effect(GuessedLine& line, GivenOption& option) {
    if (!is_guess("without effect", usual_name(option.name))) {
        return false;
    }
    line.without_effect.push_back(option.argument);
    return true;
}

bool take_without_value(GuessedLine& line, GivenOption& option) {
    const auto whole = option.value ? std::nullopt : guess_entry("without a value", usual_name(option.name));
    line.append(split_at_blanks(whole.value_or("")));
    return whole.has_value();
}

// Takes an option that this command does not need, or reads it as one of the command.
bool take_of_subject(GuessedLine& line, GivenOption& option) {
    option.name = guess_entry("options of " + line.subject, usual_name(option.name)).value_or(option.name);
    if (option.name.empty()) {
        const bool has_value = option.value && !option.is_beside && !names_stage_or_step(*option.value);
        line.without_effect.push_back(has_value ? option.whole() : option.argument);
        option.next += has_value ? 1 : 0;
        return true;
    }
    if (find_option(option.name) == nullptr && find_option(usual_name(option.name)) != nullptr) {
        option.name = usual_name(option.name);
    }
    return false;
}

bool take_unknown(GuessedLine& line, GivenOption& option) {
    const std::string usual = usual_name(option.name);
    // An option that another option of the command would only seem to mean is refused later.
    if (find_option(option.name) != nullptr || guess_entry("options of " + line.subject, usual) == usual) {
        return false;
    }
    if (const auto last = guess_entry("options at the end", usual); last && !option.is_beside) {
        line.at_the_end.push_back(*last);
        return true;
    }
    if (const auto numbered = option.value ? guess_entry("number in the value", usual) : std::nullopt) {
        line.append({*numbered, std::string(number_in(*option.value))});
        option.use_value();
        return true;
    }
    option.name = guess_entry("options", usual).value_or(option.name);
    option.name = guess_entry("options of " + line.subject, option.name).value_or(option.name);
    return false;
}

bool take_told_by_suffix(GuessedLine& line, GivenOption& option) {
    if (!option.value || !is_guess("told by the suffix", option.name)) {
        return false;
    }
    option.append_to(line, format_of_suffix(*option.value) == nullptr ? option.name : "--out");
    return true;
}

// Takes an option whose value decides what it means: `--mask none`, `--dtype float64`.
bool take_with_value(GuessedLine& line, GivenOption& option) {
    // The built-in inputs have a width of 3; the reader's own may have another.
    const bool is_width = is_guess("told by the inputs", usual_name(option.name));
    option.name = is_width && !option.is_beside ? usual_name(option.name) : option.name;
    const auto both = option.value && !(is_width && line.has_own_inputs())
                          ? guess_entry("options", usual_name(option.name) + " " + lowered(*option.value))
                          : std::nullopt;
    if (!both) {
        return false;
    }
    if (both->empty()) {
        line.without_effect.push_back(option.whole());
    }
    if (const Stage* const stage = stage_of_option(*both)) {
        line.append_stage(*stage);
    } else {
        line.append(split_at_blanks(*both));
    }
    option.use_value();
    return true;
}

// `--W_query wq.npy` replaces a tensor.
bool take_tensor(GuessedLine& line, GivenOption& option) {
    const std::string step =
        option.row() == nullptr && is_file(option.value) ? usual_step(option.bare()) : "";
    if (step.empty()) {
        return false;
    }
    line.append({"--set", step + "=" + *option.value});
    option.use_value();
    return true;
}

bool take_width_of_head(GuessedLine& line, GivenOption& option) {
    std::uint64_t width = 0;
    if (option.row() != nullptr || !option.value || !is_guess("width of a head", usual_name(option.name)) ||
        !read_whole(*option.value, width)) {
        return false;
    }
    option.append_to(line, "--head-dim");
    return true;
}

// Drops a type or a device, but not the stage after --cuda.
bool take_device(GuessedLine&, GivenOption& option) {
    if (option.row() != nullptr || !chooses_device(option.name)) {
        return false;
    }
    if (option.value && option.value->find(' ') == std::string::npos && !names_stage_or_step(*option.value) &&
        find_command(*option.value) == nullptr && kind_of(*option.value) == FileKind::none) {
        option.use_value();
    }
    return true;
}

// Takes `--diagnose` and `--causal`, and `--sliding-window 3`.
bool take_command_or_stage(GuessedLine& line, GivenOption& option) {
    if (option.row() != nullptr || option.is_beside) {
        return false;
    }
    if (find_command(option.bare()) != nullptr) {
        line.arguments.push_back({option.bare(), true});
        line.command = line.command.empty() ? option.bare() : line.command;
        return true;
    }
    const Stage* const stage = stage_of_option(option.name);
    if (stage == nullptr) {
        return false;
    }
    line.append_stage(*stage);
    double number = 0.0;
    const auto setting = guess_entry("number of a stage", stage->name);
    if (option.value && setting && read_double(*option.value, number) == option.value->size()) {
        option.append_to(line, *setting);
    }
    return true;
}

// True for a file behind an option that takes none.
bool is_file_to_judge(const GuessedLine& line, const GivenOption& option) {
    return is_file(option.value) && !option.is_beside && line.is_command({"diagnose", "compare", "grade"});
}

// `diagnose --mine mine.npy`
bool take_file_to_judge(GuessedLine& line, GivenOption& option) {
    if (option.row() != nullptr || !is_file_to_judge(line, option) ||
        !is_guess("options before a file to judge", usual_name(option.name))) {
        return false;
    }
    line.arguments.push_back({*option.value, true});
    option.use_value();
    return true;
}

// Leaves an option that means nothing; the parser refuses it.
bool leave_unknown(GuessedLine& line, GivenOption& option) {
    if (option.row() != nullptr) {
        return false;
    }
    line.append({option.is_beside ? option.argument : option.name});
    if (option.value && !option.is_beside && !names_stage_or_step(*option.value) &&
        find_command(*option.value) == nullptr && !is_file_to_judge(line, option)) {
        line.append({*option.value});  // not a file to write
        option.use_value();
    }
    return true;
}

// `--plot weights.png`
bool take_picture(GuessedLine& line, GivenOption& option) {
    if (!option.value || !option.row()->type.empty() || !is_guess("pictures", suffix_of(*option.value))) {
        return false;
    }
    option.append_to(line, "--out");
    return true;
}

bool take_known(GuessedLine& line, GivenOption& option) {
    const OptionRow& row = *option.row();
    const std::vector<std::string> words = split_at_blanks(option.name);
    const bool needs_value = words.size() == 1 && !row.type.empty();
    if (option.is_beside) {
        line.append({needs_value ? option.name + "=" + *option.value : option.argument});
    } else if (!needs_value) {
        line.append(words);
    } else if (!option.value) {
        const bool may_lack_value = row.without_value != nullptr || !row.usual_value.empty();
        line.append({may_lack_value ? option.name : option.argument});  // for the message, as it was typed
    } else {
        std::string value = *option.value;
        option.use_value();
        const bool is_quoted = value.find(' ') != std::string::npos;
        while (row.names == Names::words && !is_quoted &&
               is_next_word(line, option.next)) {  // `--text The cat`
            value += " " + line.typed[option.next++];
        }
        line.append({option.name, value});
    }
    return true;
}

// The readers of options in the order in which they are tried.
constexpr std::array readers = {
    take_without_effect, take_without_value, take_of_subject,    take_unknown, take_told_by_suffix,
    take_with_value,     take_tensor,        take_width_of_head, take_device,  take_command_or_stage,
    take_file_to_judge,  leave_unknown,      take_picture,       take_known};

}  // namespace

std::size_t take_option(GuessedLine& line, std::size_t at) {
    GivenOption option = given_option(line, at);
    for (auto* const reader : readers) {
        if (reader(line, option)) {
            break;
        }
    }
    return option.next;
}

}  // namespace attn
