// The map: the main path of a stage as tiles in the order of computation, and a button that shows all steps.
import { codeName, element } from "./dom.mjs";
import { picture } from "./figure.mjs";
import { ancestors } from "./trace.mjs";

// Arranges steps in columns, so that each is computed from a step of the column before it. Steps that are
// computed only from constants stand in the first column.
function columnsOf(run, isOn) {
    const depths = new Map();
    const depth = (step) => {
        if (!depths.has(step)) {
            const sources = [...ancestors(step)].filter((one) => one.isStep && isOn(one));
            depths.set(step, sources.length ? 1 + Math.max(...sources.map(depth)) : 0);
        }
        return depths.get(step);
    };
    const columns = [];
    for (const step of run.steps.filter(isOn)) (columns[depth(step)] ??= []).push(step);
    return columns.filter(Boolean);
}

export function map(run, step, { words, address, changed }) {
    const feeds = ancestors(step);
    const tile = (one) =>
        element(
            "a",
            {
                href: address(one),
                "data-step": one.number,
                "aria-current": one === step && "step",
                class: [feeds.has(one) && "feeds", changed(one) && "changed"].filter(Boolean).join(" "),
                "aria-label": one.name + (changed(one) ? ` (${words.is_changed})` : "")
            },
            element("span", { class: "tile" }, picture(one)),
            codeName(one.name)
        );
    // The main path leads to the context vectors, and on to the last step if it uses them. A stage without
    // context vectors has no main path: all its steps are shown. Constants (a mask, a weight) and steps that
    // only rearrange numbers are left out.
    const last = run.steps.findLast((one) => !one.gradient_of) ?? run.steps.at(-1);
    const context = run.steps.findLast((one) => !one.gradient_of && /context_vec/.test(one.name));
    const end = context && !ancestors(last).has(context) ? context : last;
    const path = context ? ancestors(end).add(end) : new Set(run.steps);
    const rearranges = (one) =>
        /^(view|transpose|contiguous)$/.test(one.op) && one.inputs.length === 1 && one !== end;
    const there = columnsOf(
        run,
        (one) =>
            path.has(one) &&
            !one.gradient_of &&
            !rearranges(one) &&
            (one.inputs.length > 0 || one === run.steps[0])
    );
    const back = columnsOf(run, (one) => one.gradient_of);
    const strip = (columns) =>
        element(
            "div",
            { class: "strip" },
            columns.flatMap((column, i) => [
                i > 0 && element("span", { class: "arrow", "aria-hidden": "true" }, "→"),
                element("span", { class: "column" }, column.map(tile))
            ])
        );
    return element(
        "nav",
        { "aria-label": words.map },
        strip(there),
        back.length > 0 && strip(back),
        element(
            "details",
            { class: "all-steps" },
            element("summary", {}, words.every_step),
            element(
                "ol",
                {},
                run.steps.map((one) =>
                    element(
                        "li",
                        {},
                        element(
                            "a",
                            {
                                href: address(one),
                                "data-step": one.number,
                                "aria-current": one === step && "step"
                            },
                            one.title,
                            " ",
                            element("code", {}, one.name)
                        )
                    )
                )
            )
        )
    );
}
