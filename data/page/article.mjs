// The sections of a stage's article: the steps of each, and what else its figure has. A stage without a plan
// of its own gets a section for each computed step.

const roles = ["queries", "keys", "values"];

// steps: the names of the steps. together: steps whose results the figure shows side by side. off: variants
// that the figure can switch to. options: parameters that can be changed where the program runs. figure: a
// picture in place of the operands. page.json has titles and texts.
const plans = {
    causal: [
        { id: "question", figure: "arcs", off: ["mask"] },
        { id: "embeddings", steps: /^inputs$/, main: "inputs" },
        {
            id: "projections",
            steps: /^([Wb]_)?(quer|key|val)/,
            together: roles,
            options: ["seed", "qkv-bias"]
        },
        { id: "scores", steps: /^attn_scores$/ },
        { id: "softmax", steps: /^attn_weights$/, off: ["scaling"], options: ["d-out"] },
        {
            id: "mask",
            steps: /^mask|^row_sums$|_causal$/,
            off: ["mask"],
            figure: "roads",
            roads: [
                ["attn_weights", "masked_simple", "masked_simple_norm"],
                ["attn_scores", "masked", "attn_weights_causal"]
            ]
        },
        {
            id: "dropout",
            steps: /^(dropout_example|attn_weights_dropped)$/,
            off: ["dropout"],
            options: ["dropout", "dropout-seed", "dropout-rng"]
        },
        { id: "context", steps: /^context_vec(_dropped)?$/, main: "context_vec" }
    ],
    "multi-head": [
        { id: "heads", figure: "arcs", off: ["mask"], options: ["heads"] },
        { id: "embeddings", steps: /^(inputs|batch)$/ },
        { id: "layers", steps: /^(queries|keys|values)$/, together: roles, options: ["seed", "d-out"] },
        { id: "split", steps: /_(viewed|heads|view_only)$/, except: /^context/, main: "queries_heads" },
        { id: "scores", steps: /^attn_scores$/ },
        { id: "softmax", steps: /^(masked|attn_weights)$/, off: ["mask", "scaling"] },
        {
            id: "dropout",
            steps: /^attn_weights_dropped$/,
            off: ["dropout"],
            options: ["dropout", "dropout-seed"]
        },
        { id: "context", steps: /^context_heads$/ },
        { id: "merge", steps: /^context_(transposed|contiguous|merged)$/ },
        { id: "same", steps: /^(head_\d+|heads_stacked|same_numbers)$/ },
        { id: "output", steps: /^context_vec$/ }
    ]
};
const isMoved = (step) =>
    /^(view|transpose|contiguous|select|slice)/.test(step.op) && step.inputs.length === 1;

// Returns the sections of a run: { id, steps, main, title, text, … }, without those that have no steps.
export function sectionsOf(run, words) {
    const left = new Set(run.steps);
    const sections = [];
    const add = (section, steps) => {
        for (const step of steps) left.delete(step);
        const main =
            steps.find((one) => one.name === (section.main ?? section.together?.[0])) ?? steps.at(-1);
        sections.push({ ...section, id: section.id ?? main.name, steps, main });
    };
    for (const plan of plans[run.stage.name] ?? [
        { id: "overview", figure: "arcs", off: ["mask", "scaling"] }
    ]) {
        if (!plan.steps) {
            const weights = run.steps.findLast((one) => isSoftmaxOfPairs(one));
            if (weights) sections.push({ ...plan, steps: [], main: weights });
            continue;
        }
        const steps = run.steps.filter((one) => plan.steps.test(one.name) && !plan.except?.test(one.name));
        const isWhole = !plan.roads || plan.roads.flat().every((name) => run.byName.has(name));
        if (steps.length) add(isWhole ? plan : { ...plan, figure: undefined }, steps);
    }
    // Given tensors and steps that only move numbers stand with the step that uses them.
    let waiting = [];
    for (const step of [...left].filter((one) => !one.gradient_of && one.name !== "loss")) {
        waiting.push(step);
        if (!step.inputs.length || isMoved(step)) continue;
        add({}, waiting);
        waiting = [];
    }
    if (waiting.length) add({}, waiting);
    if (left.size) add({ id: "backward" }, [...left]);
    return sections.map((one) => ({
        ...one,
        title: words[`${run.stage.name}_${one.id}_title`] ?? words[one.id + "_title"] ?? one.main.title,
        text: words[`${run.stage.name}_${one.id}_text`] ?? words[one.id + "_text"] ?? ""
    }));
}
const isSoftmaxOfPairs = (step) =>
    /softmax/.test(step.op) && !step.gradient_of && step.shown.length > 1 && !/dropped/.test(step.name);
