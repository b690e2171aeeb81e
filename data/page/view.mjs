// The article: sections with figures that share one selection. It is drawn from one state, which the address
// contains. All numbers and sentences come from the program. An embedding page may run the program again.
import { readAddress, valueIn, withValue, writeAddress } from "./address.mjs";
import { byId, codeName, element, formula, isControl, morph } from "./dom.mjs";
import { arcs, bars, hueOf, leak, lines, multiples, paint, picture } from "./figure.mjs";
import { positionOf, road, table } from "./figure.mjs";
import { onScreen } from "./numbers.mjs";
import { cellName, givenCell, hasCell } from "./trace.mjs";
import { indexOf, isMasked, isSoftmax, placeAt, sourcesOf } from "./trace.mjs";

const signs = { matmul: "@", mul: "×", div: "÷", sum: "Σ", add: "+", sub: "−" };
const isWide = () => matchMedia("(min-width: 75rem)").matches;

export class View {
    // hooks, all optional: go(isJump) if the page decides what an address shows; edit(cell, value) if numbers
    // can be changed; control(option) returns a control that changes an option.
    constructor(root, hooks = {}) {
        // The address (stage, step, index, query), the cell under the pointer, and the section in sight.
        Object.assign(this, { root, hooks, state: readAddress(""), peek: null, here: "" });
        document.documentElement.classList.add("js");
        this.listen();
    }
    say(key, ...values) {
        return (this.page.words[key] ?? key).replace(/\{(\d)\}/g, (_, i) => values[i]);
    }
    get stage() {
        return this.page.stages.find((one) => one.name === this.state.stage) ?? this.page.stages[0];
    }
    get run() {
        const off = valueIn(this.state.query, "off");
        return this.stage.runs.find((one) => one.id === off) ?? this.stage.runs[0];
    }

    get stageBefore() {
        return this.before?.stages.find((one) => one.name === this.stage.name);
    }
    get sections() {
        return this.run.sections;
    }

    // Shows an address of a page; `before` is the same page without the user's edits.
    show(page, before, address, isJump = false) {
        if (page !== this.page || address.stage !== this.state.stage) this.peek = null;
        Object.assign(this, { page, before, state: address });
        this.render(isJump);
        if (isJump) this.jump();
    }
    // The query of the address, which is newer than the state while the program works.
    get query() {
        return readAddress(location.hash).query;
    }
    go(changes, { isNew = true, isJump = false } = {}) {
        const address = { ...this.state, query: this.query, stage: this.stage.name, ...changes };
        this.peek = null;
        const hash = writeAddress(address);
        if (hash !== location.hash) history[isNew ? "pushState" : "replaceState"](null, "", hash);
        if (this.hooks.go) return this.hooks.go(isJump);
        this.show(this.page, this.before, address, isJump);
    }
    follow(isJump) {
        this.show(this.page, this.before, readAddress(location.hash), isJump);
    }
    jump() {
        const { step } = this.state;
        const section = this.sections.find((one) => one.steps.some(({ name }) => name === step));
        const to = section ? byId("at-" + section.id) : null;
        if (!isWide()) this.root.querySelector(".map").open = false;
        this.drawNear(true); // the sections above have their heights
        // In one column, a linked cell is shown instead of the text above its figure.
        const isNarrow = matchMedia("(max-width: 62rem)").matches;
        if (to) (isNarrow ? to.querySelector(".result") : to).scrollIntoView({ behavior: "instant" });
        else if (!step) scrollTo(0, 0);
        this.look();
    }

    // --- the selection ---

    // Returns the cell that is chosen, or pointed at.
    chosen() {
        if (this.peek) return this.peek;
        const tensor = this.run.byName.get(this.state.step);
        return tensor?.isStep && hasCell(tensor, this.state.index)
            ? { tensor, place: placeAt(tensor, this.state.index) }
            : null;
    }
    // Returns the place in a tensor that belongs to the chosen cell. Query and token choose rows, the key
    // columns.
    placeIn(tensor, chosen) {
        if (chosen?.tensor === tensor) return chosen.place;
        const at = { query: undefined, key: undefined, token: undefined };
        if (chosen)
            indexOf(chosen.tensor, chosen.place).forEach((i, k) => (at[chosen.tensor.axes[k] ?? k] = i));
        const row = at.query ?? at.token ?? 1;
        const rank = tensor.shown.length;
        const index = tensor.shown.map((size, k) => {
            const axis = tensor.axes[k];
            const i = axis === "query" || axis === "token" ? row : axis ? at[axis] : k === rank - 2 ? row : 0;
            return Math.max(0, Math.min(i ?? 0, size - 1));
        });
        return placeAt(tensor, index);
    }
    // Returns the same tensor without the edits, or with nothing switched off.
    counterpart(tensor) {
        const run =
            this.stageBefore?.runs.find((one) => one.id === this.run.id) ??
            (this.run.id ? this.stage.runs[0] : null);
        const found = run?.byName.get(tensor.name);
        return found && String(found.shown) === String(tensor.shown) ? found : undefined;
    }
    stepOf(section, chosen) {
        const wanted = chosen?.tensor ?? this.run.byName.get(this.state.step);
        return section.steps.includes(wanted) ? wanted : section.main;
    }

    // --- drawing ---

    // Draws what has changed, but leaves the sections to jump(), which moves others into sight.
    render(isJump = false) {
        const { page, run, stage, sections } = this;
        const chosen = this.chosen();
        morph(
            this.root,
            element(
                "div",
                { id: this.root.id, class: "view" },
                element("a.skip", { href: "#article", "data-do": "skip" }, page.words.skip),
                this.map(chosen),
                element(
                    "main",
                    { id: "article", tabindex: -1 },
                    element(
                        "header",
                        element("h1", run.title),
                        element("p.lead", run.intro),
                        stage.book && element("p.note", stage.book),
                        page.stages.length > 1 &&
                            element(
                                "label",
                                page.words.stage,
                                " ",
                                element(
                                    "select",
                                    { "data-do": "stage" },
                                    page.stages.map(({ name, runs }) =>
                                        element(
                                            "option",
                                            { value: name, selected: name === stage.name },
                                            runs[0].title
                                        )
                                    )
                                )
                            )
                    ),
                    sections.map(({ id, figure }) =>
                        element("section", { id: "at-" + id, class: figure, "data-keep": "" })
                    ),
                    element(
                        "details.setup",
                        element("summary", page.words.setup),
                        element("pre", { tabindex: 0 }, element("code", run.setup))
                    )
                ),
                element(
                    "p",
                    { role: "status", class: "aside" },
                    chosen &&
                        !this.peek &&
                        `${cellName(chosen.tensor, chosen.place)}: ${chosen.tensor.cells[chosen.place]}`
                )
            )
        );
        document.title = `${run.title} · attn-walkthrough`;
        this.stale = new Set(sections);
        if (!isJump) this.drawNear();
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.drawNear(true), 200);
    }
    // Draws the sections on screen and nearby, or all; the others follow soon.
    drawNear(isAll = false) {
        const isNear = ({ id }) => {
            const { top, bottom } = byId("at-" + id).getBoundingClientRect();
            return isAll || (bottom > -200 && top < innerHeight + 200);
        };
        for (const section of [...this.stale].filter(isNear)) {
            this.stale.delete(section);
            const number = this.sections.indexOf(section);
            morph(byId("at-" + section.id), this.section(section, number, this.chosen()));
        }
        for (const canvas of this.root.querySelectorAll("canvas")) {
            const [number, matrix] = canvas.dataset.picture.split(",").map(Number);
            paint(canvas, this.run.tensors[number], matrix);
        }
    }

    // Returns the attributes of a link to a step, at the place that belongs to the chosen cell.
    to(step, chosen) {
        const place = this.placeIn(step, chosen);
        const index = indexOf(step, place);
        return {
            href: writeAddress({ ...this.state, stage: this.stage.name, step: step.name, index }),
            "data-go": `${step.number}/${place}`
        };
    }
    map(chosen) {
        const { page, sections } = this;
        const current = this.state.step;
        const link = (section, number) =>
            element(
                "li",
                { class: section.id === this.here && "here" },
                element(
                    "a",
                    {
                        ...(section.steps.length
                            ? this.to(section.main, chosen)
                            : { href: "#", "data-do": "top" }),
                        "aria-current": section.id === this.here && "true"
                    },
                    picture(section.main),
                    element("span", `${number + 1} ${section.title}`)
                ),
                section.steps.length > 0 &&
                    element(
                        "span.steps",
                        section.steps.map((step) =>
                            element(
                                "a",
                                {
                                    ...this.to(step, chosen),
                                    class: [hueOf(step.name), this.isChanged(step) && "changed"],
                                    title: step.title,
                                    "aria-current": step.name === current && "step"
                                },
                                codeName(step.name)
                            )
                        )
                    )
            );
        const here = sections.find((one) => one.id === this.here) ?? sections[0];
        const step = this.stepOf(here, chosen);
        const place = this.placeIn(step, chosen);
        return element(
            "details",
            { class: "map", open: isWide() },
            element(
                "summary",
                element("b", `${sections.indexOf(here) + 1} / ${sections.length}`),
                " ",
                element("code", `${cellName(step, place)} = ${onScreen(step.cells[place])}`),
                ` · ${here.title}`
            ),
            element("nav", { "aria-label": page.words.map }, element("ol", sections.map(link))),
            element(
                "p.tools",
                element("button", { "data-do": "present", "aria-pressed": "false" }, page.words.present)
            )
        );
    }
    isChanged(tensor) {
        const before = this.counterpart(tensor);
        return Boolean(before) && before.cells.some((text, place) => text !== tensor.cells[place]);
    }

    section(section, number, chosen) {
        const step = this.stepOf(section, chosen);
        const place = this.placeIn(step, chosen);
        const isPlanned = Boolean(section.text);
        return element(
            "section",
            { id: "at-" + section.id, class: section.figure },
            element(
                "div.text",
                element("h2", section.title),
                isPlanned && element("p", section.text),
                isPlanned &&
                    this.page.words[section.id + "_try"] &&
                    element("p.note", this.page.words[section.id + "_try"]),
                section.steps.length > 0 && [
                    isPlanned && element("h3", step.title),
                    element("p", { class: isPlanned && "note" }, step.note)
                ],
                this.agreement(section, step),
                step.errata &&
                    section.figure !== "arcs" &&
                    element(
                        "details",
                        element("summary", this.page.words.errata),
                        step.errata.map((one) => element("p.erratum", one))
                    )
            ),
            this.figure(section, number, step, place)
        );
    }
    // Says how many numbers agree with printed tables, or how many an edit or a switch changed.
    agreement(section, step) {
        const before = this.counterpart(step);
        if (before) {
            const changed = before.cells.filter((text, place) => text !== step.cells[place]).length;
            return changed > 0 && element("p.note", this.say("changed", changed, step.cells.length));
        }
        if (!step.printed_in || section.figure === "arcs") return null;
        const wrong = new Set(step.disagreeing).size;
        return element("p.note", this.say("agrees", step.cells.length - wrong, step.cells.length));
    }
    figure(section, number, step, place) {
        const { words } = this.page;
        const run = this.run;
        const say = this.say.bind(this);
        const before = this.counterpart(step);
        const here = { tensor: step, place };
        const isTogether = section.together?.includes(step.name);
        // The results, each with its place.
        const results = (isTogether ? section.together : [step.name]).map((name) => {
            const tensor = run.byName.get(name);
            return [tensor, this.placeIn(tensor, here)];
        });
        const sources = new Map(results.flatMap(([tensor, at]) => [...sourcesOf(tensor, at)]));
        const shared = { words, say, before };
        const operandAt = (tensor) =>
            [...(sources.get(tensor) ?? [])][0] ?? this.placeIn(tensor, here);
        const operands = [...new Set(results.flatMap(([tensor]) => tensor.inputs))]
            .map((name) => run.byName.get(name))
            .filter((one) => one?.shown.length);
        const isMix = step.op === "matmul" && operands[0]?.axes.at(-1) === "key" && operands.length > 1;
        const operand = (tensor, k) =>
            table(tensor, operandAt(tensor), {
                ...shared,
                canDrag: Boolean(this.givenAt({ tensor, place: 0 })),
                before: this.counterpart(tensor),
                from: sources.get(tensor),
                column: isMix && k === 0
            });
        const code = element(
            "pre.code",
            { tabindex: 0 },
            element("code", coloured(results.map(([tensor]) => tensor.code).join("\n")))
        );
        const left =
            section.figure === "arcs"
                ? arcs(step, place, shared)
                : section.figure === "roads"
                  ? this.roads(section, step, place, shared)
                  : operands.length
                    ? operands.slice(0, 4).map(operand)
                    : code;
        const given = this.givenAt({ tensor: step, place });
        // The first figure leaves formula, arithmetic and code to the figure that introduces them.
        const home = section.figure === "arcs" && this.sections.find((one) => one.steps.includes(step));
        return element(
            "figure.fig",
            { "aria-label": `${words.figure} ${number + 1}: ${section.title}` },
            element(
                "figcaption",
                element("b", `${words.figure} ${number + 1}`),
                element("span.sel", positionOf(step, indexOf(step, place), say) || step.name),
                section.steps.length > 1 &&
                    element(
                        "span.choice",
                        { role: "group", "aria-label": words.steps },
                        section.steps.map((one) =>
                            element(
                                "button",
                                {
                                    "data-cell": `${one.number}/${this.placeIn(one, here)}`,
                                    class: hueOf(one.name),
                                    "aria-pressed": String(one === step)
                                },
                                codeName(one.name)
                            )
                        )
                    ),
                this.switches(section)
            ),
            element("div", { class: isMix ? "operands mix" : "operands", "data-op": step.op }, left),
            element(
                "div.op",
                { "aria-hidden": "true" },
                element("i", section.figure ? "→" : (signs[step.op] ?? "→")),
                element("span", section.figure ? words.all_rows : (words["op_" + step.op] ?? step.op))
            ),
            element(
                "div.result",
                multiples(step, place, shared),
                element(
                    "div",
                    { class: ["results", isTogether && "together"] },
                    results.map(([tensor, at]) =>
                        table(tensor, at, {
                            ...shared,
                            before: this.counterpart(tensor),
                            own: true,
                            canDrag: Boolean(given)
                        })
                    )
                ),
                (section.options ?? []).length > 0 &&
                    this.hooks.control &&
                    element(
                        "div.controls",
                        section.options.map((one) => this.hooks.control(one))
                    )
            ),
            element(
                "div.work",
                isSoftmax(step) &&
                    step.shown.length > 1 &&
                    section.figure !== "arcs" &&
                    this.bars(section, step, place, shared),
                element(
                    "div.sum",
                    { "aria-live": "off" },
                    this.value(step, place, before),
                    home
                        ? element(
                              "button",
                              { "data-go": `${step.number}/${place}` },
                              say("computed_in", this.sections.indexOf(home) + 1)
                          )
                        : results.flatMap(([tensor, at]) => lines(tensor, at, shared)),
                    given && this.field(given)
                ),
                section.figure === "roads" && this.leak(step, place, shared)
            ),
            !home &&
                element(
                    "div.written",
                    step.mathml &&
                        element(
                            "div.formula",
                            { tabindex: 0, role: "group", "aria-label": words.formula },
                            results.map(([tensor]) => [
                                formula(tensor.mathml),
                                element("p.note", tensor.letters)
                            ])
                        ),
                    left !== code && code
                )
        );
    }
    // Two ways of a row to the same weights, and how many numbers at their ends are equal.
    roads(section, step, place, shared) {
        const roads = section.roads.map((names) => names.map((name) => this.run.byName.get(name)));
        const [first, second] = roads.map((one) => one.at(-1).cells);
        const equal = first.filter((text, i) => text === second[i]).length;
        return [
            ...roads.map((tensors, k) =>
                road(tensors, this.placeIn(tensors[0], { tensor: step, place }), {
                    ...shared,
                    title: shared.words["road_" + k]
                })
            ),
            element(
                "p.note",
                this.say(equal === first.length ? "roads_meet" : "roads_apart", first.length, equal)
            )
        ];
    }
    // A run without the mask has no row that hides words, so the unchanged run is shown.
    leak(step, place, shared) {
        const run = this.run.id === "mask" ? this.stage.runs[0] : this.run;
        const [weights, sums] = ["attn_weights", "row_sums"].map((name) => run.byName.get(name));
        return weights && sums && leak(weights, sums, this.placeIn(weights, { tensor: step, place }), shared);
    }
    // Bars for a row of weights; a dotted line shows the same row before a change, or without the scaling.
    bars(section, step, place, shared) {
        const unscaled =
            section.off?.includes("scaling") &&
            this.stage.runs.find((one) => one.id === "scaling")?.byName.get(step.name);
        const other = shared.before ?? (unscaled || undefined);
        return element(
            "div.bars",
            bars(step, place, { ...shared, other }),
            other && element("p.note", this.page.words[shared.before ? "ghost_before" : "ghost_scaling"])
        );
    }
    value(step, place, before) {
        const [now, was] = [step.cells[place], before?.cells[place]].map((text) => text && onScreen(text));
        return element(
            "p.value",
            element("code", cellName(step, place)),
            " = ",
            was !== undefined && was !== now && [element("s", was), " → "],
            element("b.out", now),
            isMasked(step, place) && ` · ${this.page.words.masked}`
        );
    }
    switches(section) {
        const { words } = this.page;
        const stages = [this.stage, this.stageBefore];
        return (section.off ?? [])
            .filter((id) => stages.some((stage) => stage?.runs.some((one) => one.id === id)))
            .map((id) =>
                element(
                    "button.switch",
                    { role: "switch", "data-off": id, "aria-checked": String(this.run.id !== id) },
                    words["switch_" + id]
                )
            );
    }
    // Returns the given number behind a cell if it can be changed, or a false value.
    givenAt({ tensor, place }) {
        return this.hooks.edit && !this.run.id && givenCell(tensor, place);
    }
    field({ tensor, place }) {
        const name = cellName(tensor, place);
        const value = Number.isFinite(tensor.values[place]) && tensor.values[place];
        return element(
            "div.edit",
            { "data-cell-name": name },
            element(
                "label",
                this.say("change_to", name),
                " ",
                element("input", { type: "number", step: 0.01, value })
            ),
            element("span.refusal", { role: "alert", "data-keep": "" })
        );
    }

    // --- user actions ---

    // Returns the cell that an element shows, or to which it leads.
    cellOf({ dataset }) {
        const [number, place] = (dataset.cell ?? dataset.go).split("/").map(Number);
        return { tensor: this.run.tensors[number], place };
    }
    // Chooses a cell, and focuses it in its section after a jump, or else in the figure `within`.
    async pick({ tensor, place }, { within, isJump = false } = {}) {
        if (!tensor.isStep) return;
        const { id } = this.sections.find(({ steps }) => steps.includes(tensor));
        await this.go({ step: tensor.name, index: indexOf(tensor, place) }, { isNew: isJump, isJump });
        (isJump ? byId("at-" + id) : within)
            ?.querySelector(`.result [data-cell="${tensor.number}/${place}"]`)
            ?.focus({ preventScroll: true });
    }
    top() {
        this.go({ step: "", index: null }, { isJump: true });
    }
    point(cell) {
        if (cell?.tensor === this.peek?.tensor && cell?.place === this.peek?.place) return;
        this.peek = cell;
        this.render();
    }
    listen() {
        const { root } = this;
        // A pointer at rest points at nothing: a page that is drawn or scrolled below it selects no cell.
        root.addEventListener("pointermove", ({ target, pointerType }) => {
            if (pointerType !== "mouse" || !this.page) return;
            const td = target.closest("td[data-cell]");
            if (td?.closest(".result")) this.point(this.cellOf(td));
        });
        root.addEventListener("pointerout", ({ target, relatedTarget }) => {
            if (target.closest("table.m") && !relatedTarget?.closest?.("table.m")) this.point(null);
        });
        root.addEventListener("pointerdown", (event) => this.grab(event));
        root.addEventListener("click", (event) => this.click(event));
        root.addEventListener("change", ({ target }) => {
            if (target.dataset.do === "stage")
                this.go(
                    {
                        stage: target.value,
                        step: "",
                        index: null,
                        query: withValue(this.query, "off", "")
                    },
                    { isJump: true }
                );
        });
        root.addEventListener("input", ({ target }) => {
            if (target.closest(".edit")) this.edit(target);
        });
        document.addEventListener("keydown", (event) => this.key(event));
        addEventListener("beforeprint", () => this.drawNear(true));
        addEventListener("scroll", () => this.look(), { passive: true });
        matchMedia("(min-width: 75rem)").addEventListener("change", () => {
            root.querySelector(".map").open = isWide();
        });
    }
    click(event) {
        const one = event.target.closest("[data-cell], [data-go], [data-off], [data-do]");
        if (!one || one.nodeName === "SELECT") return;
        const { cell, go, off } = one.dataset;
        if (one.nodeName === "A") event.preventDefault();
        if (cell || go) {
            const within = one.nodeName === "TD" ? one.closest(".fig") : null;
            this.pick(this.cellOf(one), { within, isJump: Boolean(go) });
        } else if (off) {
            const { query } = this;
            this.go({ query: withValue(query, "off", valueIn(query, "off") === off ? "" : off) });
        } else this[one.dataset.do](one);
    }
    edit(input) {
        const box = input.closest(".edit");
        this.refuse("");
        if (input.value) this.send(box.dataset.cellName, input.valueAsNumber);
    }
    // Changes a given number by 0.01 for every 4 px that its cell is dragged to the right.
    grab({ target, button, clientX: from, pointerId }) {
        const td = target.closest(".drag td[data-cell]");
        const given = td && button === 0 && this.givenAt(this.cellOf(td));
        if (!given) return;
        const start = given.tensor.values[given.place];
        let isMoved = false;
        const move = ({ clientX }) => {
            const by = Math.trunc((clientX - from) / 4) / 100;
            if (!isMoved && !by) return;
            if (!isMoved) this.pick(this.cellOf(td));
            isMoved = true;
            this.send(cellName(given.tensor, given.place), Number((start + by).toFixed(4)));
        };
        td.setPointerCapture(pointerId);
        td.addEventListener("pointermove", move);
        td.addEventListener("lostpointercapture", () => td.removeEventListener("pointermove", move), {
            once: true
        });
    }
    // Sends the latest number as soon as the one before is shown.
    async send(name, value) {
        const isBusy = Boolean(this.wanted);
        this.wanted = [name, value];
        if (isBusy) return;
        for (let sent; sent !== this.wanted;) {
            sent = this.wanted;
            await this.hooks.edit(sent[0], String(sent[1]));
        }
        this.wanted = null;
    }
    refuse(text) {
        this.root.querySelector(".refusal")?.replaceChildren(text);
    }
    skip() {
        this.root.querySelector("#article").focus();
    }
    // Marks the section in sight.
    look() {
        if (!this.page) return;
        this.drawNear();
        const middle = innerHeight * 0.4;
        const seen = [...this.root.querySelectorAll("section")].findLast(
            (one) => one.getBoundingClientRect().top <= middle
        );
        const here = (seen?.id ?? "at-" + this.sections[0]?.id).slice(3);
        if (here === this.here) return;
        this.here = here;
        morph(this.root.querySelector(".map"), this.map(this.chosen()));
        this.drawNear();
    }
    // One figure per screen.
    present(button) {
        const on = document.documentElement.classList.toggle("present");
        button.setAttribute("aria-pressed", String(on));
        if (on) document.documentElement.requestFullscreen?.().catch(() => {});
        else if (document.fullscreenElement) document.exitFullscreen();
        byId("at-" + this.here)?.scrollIntoView();
    }
    key(event) {
        const { target, key } = event;
        if (
            event.altKey ||
            event.ctrlKey ||
            event.metaKey ||
            isControl(target) ||
            !this.page
        )
            return;
        const moves = {
            ArrowLeft: [0, -1],
            ArrowRight: [0, 1],
            ArrowUp: [-1, 0],
            ArrowDown: [1, 0],
            Home: [0, -Infinity],
            End: [0, Infinity]
        };
        const move = moves[key];
        const cell = target.dataset?.cell && target.nodeName === "TD" ? this.cellOf(target) : null;
        if (cell && (move || key === "Enter" || key === " ")) {
            event.preventDefault();
            const { tensor } = cell;
            const index = indexOf(tensor, cell.place);
            (move ?? []).forEach((by, k) => {
                const axis = index.length - 2 + k;
                if (axis >= 0) index[axis] = Math.max(0, Math.min(tensor.shown[axis] - 1, index[axis] + by));
            });
            this.pick({ tensor, place: placeAt(tensor, index) }, { within: target.closest(".fig") });
            return;
        }
        const scroller = target.closest?.("pre, .formula");
        if (
            (key !== "ArrowLeft" && key !== "ArrowRight") ||
            (scroller && scroller.scrollWidth > scroller.clientWidth)
        )
            return;
        event.preventDefault();
        const by = key === "ArrowRight" ? 1 : -1;
        const at = this.sections.findIndex((one) => one.id === this.here);
        // At once, so that the next key goes on from there.
        byId("at-" + this.sections[at + by]?.id)?.scrollIntoView({ behavior: "instant" });
        this.look();
    }
}
// Colours the names of queries, keys and values in a line of code.
const coloured = (code) =>
    code
        .split(/\b((?:W_)?(?:quer(?:y|ies)|keys?|values?)(?:_\w+)?)\b/)
        .map((part, i) => (i % 2 ? element("span", { class: hueOf(part) }, part) : part));
