// The search: right walks first, then each mistake, then seeds, then pairs of mistakes. A small stage is
// walked in microseconds, so that trying is simpler than reasoning.
#include "diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "diagnosis/candidates.hpp"
#include "diagnosis/changed_lines.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "diagnosis/nearest.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

// A variant of a mistake, under the mistake's name.
struct Attempt {
    std::string_view id;
    Variant variant;
};
using Attempts = std::vector<const Attempt*>;

std::vector<Attempt> attempts(const Parameters& right) {
    std::vector<Attempt> all;
    for (const Mistake& mistake : mistakes()) {
        for (Variant& variant : mistake.variants(right)) {
            all.push_back({mistake.id, std::move(variant)});
        }
    }
    return all;
}

Tensor turned(const Tensor& x) {
    const auto rank = static_cast<int>(x.rank());
    return transpose(x, rank - 2, rank - 1);
}

class Search {
public:
    Search(const PrintedTensor& pasted, const Question& question) : pasted_(pasted), question_(question) {}

    Diagnosis run(const std::vector<StageTrace>& usual) {
        try_all(usual, &Search::try_right);
        try_all(usual, &Search::try_mistakes);
        std::vector<StageTrace> sized;
        if (found_.matches.empty()) {
            sized = resized(pasted_, question_);
            try_all(sized, &Search::try_right);
            try_all(sized, &Search::try_mistakes);
        }
        for (const auto step : {&Search::try_seeds, &Search::try_bias, &Search::try_pairs}) {
            if (found_.matches.empty()) {
                try_all(usual, step);
                try_all(sized, step);
            }
        }
        sort();
        if (found_.matches.empty()) {
            const bool has_shape_already =
                std::ranges::any_of(usual, [&](const StageTrace& right) { return has_shape(right); });
            found_.nearest = nearest(pasted_, question_.as, has_shape_already ? usual : sized);
        }
        return std::move(found_);
    }

private:
    bool is_meant(const Node& step) const { return question_.as.empty() || step.name == question_.as; }

    bool has_shape(const StageTrace& trace) const {
        return std::ranges::any_of(trace.steps, [&](std::size_t id) {
            const Node& step = trace.node(id);
            return is_meant(step) && pasted_.fits(step.value.shape());
        });
    }

    void try_all(const std::vector<StageTrace>& rights, void (Search::*step)(const StageTrace&)) {
        for (const StageTrace& right : rights) {
            (this->*step)(right);
        }
    }
    void try_right(const StageTrace& right) {
        for (const std::size_t id : right.steps) {
            const Node& step = right.node(id);
            if (is_meant(step) && agrees(pasted_, step.value)) {
                found_.matches.push_back(
                    {right.stage, right.parameters, step.name, {}, largest_difference(step.value), "", ""});
            }
        }
    }

    // Walks the stage with these mistakes, and holds each step they change against what was pasted. Whether
    // they change any step of that shape.
    bool attempt(const StageTrace& right, const Attempts& tried) {
        Parameters parameters = right.parameters;
        std::vector<Edit> edits;
        for (const Attempt* one : tried) {
            if (one->variant.change) {
                one->variant.change(parameters);
            }
            if (one->variant.edit) {
                edits.push_back(one->variant.edit);
            }
        }
        // The last in the table, and so of a pair, leaves the walk as it is.
        const bool transposes = tried.back()->variant.transposes;
        if (transposes && tried.size() == 1) {
            return compare(right, right, tried, true);
        }
        const StageTrace wrong =
            walk_edited(*right.stage, question_.lesson, parameters, question_.inputs, std::move(edits));
        return compare(right, wrong, tried, transposes);
    }

    bool compare(const StageTrace& right, const StageTrace& wrong, const Attempts& tried, bool transposes) {
        bool changes = false;
        for (const std::size_t id : wrong.steps) {
            const Node& step = wrong.node(id);
            if (!is_meant(step) || (transposes && step.value.rank() < 2)) {
                continue;
            }
            const std::size_t original = *right.find(step.name);  // no mistake adds a step
            const Tensor value = transposes ? turned(step.value) : step.value;
            if (!pasted_.fits(value.shape()) || identical(value, right.node(original).value)) {
                continue;
            }
            changes = true;
            if (agrees(pasted_, value)) {
                add(right, wrong, tried, {original, id}, largest_difference(value), transposes);
            }
        }
        return changes;
    }

    // One step in two walks.
    struct Steps {
        std::size_t right, wrong;
    };

    void add(const StageTrace& right, const StageTrace& wrong, const Attempts& tried, Steps at,
             double difference, bool transposes) {
        Match match{right.stage, wrong.parameters, right.node(at.right).name, {}, difference, "", ""};
        for (const Attempt* one : tried) {
            match.mistakes.push_back(one->id);
        }
        const bool known = std::ranges::any_of(found_.matches, [&](const Match& other) {
            return other.stage == match.stage && other.step == match.step && other.mistakes == match.mistakes;
        });
        // What the right step explains needs no mistake.
        if (known || agrees(pasted_, right.node(at.right).value)) {
            return;
        }
        const ChangedLines changed = changed_lines(wrong, right, at.wrong, at.right);
        match.line = changed.line;
        match.instead_of = changed.instead_of;
        if (transposes) {
            match.line += fmt::format("{}{}.T", match.line.empty() ? "" : "\n", match.step);
            match.instead_of += fmt::format("{}{}", match.instead_of.empty() ? "" : "\n", match.step);
        }
        found_.matches.push_back(std::move(match));
    }

    double largest_difference(const Tensor& value) const {
        return agreement(pasted_, value).largest_difference;
    }

    // Mistakes put numbers into other places; they make more or fewer only where inputs stand for values.
    bool may_become(const StageTrace& right) const {
        return has_shape(right) || std::ranges::any_of(right.steps, [&](std::size_t id) {
                   const Node& step = right.node(id);
                   const std::size_t count = step.value.count();
                   const std::size_t pasted = pasted_.numbers.size();
                   const Parameters& p = right.parameters;
                   return is_meant(step) && !pasted_.summarised() &&
                          (pasted == count || pasted * p.d_out == count * p.d_in ||
                           pasted * p.d_out == count * p.d_in * p.num_heads);
               });
    }

    void try_mistakes(const StageTrace& right) {
        if (!may_become(right)) {
            return;
        }
        for (const Attempt& one : attempts(right.parameters)) {
            attempt(right, {&one});
        }
    }

    // Two mistakes of which each alone changes steps of this shape.
    void try_pairs(const StageTrace& right) {
        if (!may_become(right)) {
            return;
        }
        const std::vector<Attempt> all = attempts(right.parameters);
        Attempts telling;
        for (const Attempt& one : all) {
            if (attempt(right, {&one})) {
                telling.push_back(&one);
            }
        }
        for (std::size_t i = 0; i < telling.size(); ++i) {
            for (std::size_t j = i + 1; j < telling.size(); ++j) {
                if (telling[i]->id != telling[j]->id) {
                    attempt(right, {telling[i], telling[j]});
                }
            }
        }
    }

    void try_seeds(const StageTrace& right) {
        if (!question_.search_seeds || !uses(*right.stage, "seed") || !has_shape(right)) {
            return;
        }
        for (std::uint64_t seed = 0; seed <= last_searched_seed; ++seed) {
            const Attempt weights{"other-seed", {{}, [seed](Parameters& p) { p.seed = seed; }}};
            attempt(right, {&weights});
            if (right.parameters.dropout > 0.0) {
                const Attempt mask{"other-seed", {{}, [seed](Parameters& p) { p.dropout_seed = seed; }}};
                attempt(right, {&mask});
            }
        }
    }

    // torch.nn.Linear has a bias unless it is told otherwise.
    void try_bias(const StageTrace& right) {
        if (uses(*right.stage, "qkv-bias") && question_.inputs.weights == nullptr && has_shape(right)) {
            Parameters parameters = right.parameters;
            parameters.qkv_bias = !parameters.qkv_bias;
            try_right(walk(*right.stage, question_.lesson, parameters, question_.inputs));
        }
    }

    void sort() {
        std::ranges::stable_sort(found_.matches, {}, [&](const Match& match) {
            return std::tuple(match.mistakes.size(), match.step != pasted_.name);
        });
    }

    const PrintedTensor& pasted_;
    const Question& question_;
    Diagnosis found_;
};

}  // namespace

std::vector<Diagnosis> diagnose(const std::vector<PrintedTensor>& tensors, const Question& question) {
    const std::vector<StageTrace> usual = right_walks(question);
    std::vector<Diagnosis> diagnoses;
    for (const PrintedTensor& tensor : tensors) {
        diagnoses.push_back(Search(tensor, question).run(usual));
    }
    return diagnoses;
}

}  // namespace attn
