// The view of a walkthrough: one step with its table and arithmetic, drawn from a state that the address also
// contains. All numbers and words come from the program. An embedding page may run the program again for
// other inputs.
import { element, morph } from "./dom.mjs";
import { typedNumber, onScreen, shortest } from "./numbers.mjs";
import { asProduct, cellName, chainOf, count, indexOf, linesOf } from "./trace.mjs";
import { masked, placeAt, sourcesOf } from "./trace.mjs";
import { Figures, lens, paint } from "./figure.mjs";
import { bars, lines } from "./arithmetic.mjs";
import { map } from "./map.mjs";

export class View {
    // `all` is the element with every step in reading order. All hooks are optional: `titled` if the page has
    // its own title and skip link; edit(cell, value) if numbers can be changed; query() for additions to the
    // address; moved().
    constructor(root, all, hooks = {}) {
        Object.assign(this, {
            root,
            all,
            hooks,
            state: { stage: "", step: "", off: "", place: -1, held: false, row: 0, column: 0, every: false }
        });
        document.documentElement.classList.add("js");
        this.listen();
    }
    say(key, ...values) {
        return this.page.words[key].replace(/\{(\d)\}/g, (_, i) => values[i]);
    }

    // Shows a page of the program; `before` is the same page without the user's edits.
    show(page, before = null) {
        const first = !this.page;
        Object.assign(this, { page, before });
        this.painted = new WeakMap();
        if (first) this.follow(location.hash);
        else (this.settle(), this.render());
    }
    get stage() {
        return this.page.stages.find((one) => one.name === this.state.stage) ?? this.page.stages[0];
    }
    get run() {
        return this.stage.runs.find((one) => one.id === this.state.off) ?? this.stage.runs[0];
    }
    get step() {
        return this.run.byName.get(this.state.step);
    }
    get cell() {
        return cellName(this.step, this.state.place);
    }
    // Returns the tensor to compare with: the one before the edits, or the one with nothing switched off.
    counterpart(tensor) {
        const run =
            this.before?.stages.find((one) => one.name === this.stage.name)?.runs[0] ??
            (this.run.id ? this.stage.runs[0] : null);
        const found = run?.byName.get(tensor.name);
        return found && String(found.shown) === String(tensor.shown) ? found : null;
    }
    isChanged(tensor) {
        const before = this.counterpart(tensor);
        return Boolean(before) && before.data.some((x, place) => !Object.is(x, tensor.data[place]));
    }

    // --- the address: #stage/step/index?off=mask ---

    addressOf(step = this.step, place = this.state.held ? this.state.place : -1) {
        const query = [this.state.off && "off=" + this.state.off, this.hooks.query?.()]
            .filter(Boolean)
            .join("&");
        const cell = place >= 0 ? "/" + indexOf(step, place).join(",") : "";
        return `#${this.stage.name}/${step.name}${cell}${query ? "?" + query : ""}`;
    }
    follow(hash) {
        let text = "";
        try {
            text = decodeURIComponent(hash.slice(1));
        } catch {
            // an invalid address shows the start of the page
        }
        const [place, query = ""] = text.split("?");
        const [stage, step, index] = place.split("/");
        Object.assign(this.state, {
            stage,
            step,
            off: /(?:^|&)off=(\w+)/.exec(query)?.[1] ?? "",
            place: -1,
            held: false
        });
        this.settle(index);
        this.render();
    }
    // Corrects the state to one that the page has. The page starts with the weights of the last softmax,
    // which show the effect of the mask, or else with the first computed step.
    settle(index) {
        const { state, run } = this;
        Object.assign(state, { stage: this.stage.name, off: run.id });
        if (!this.step?.isStep)
            Object.assign(state, {
                step: (
                    run.steps.findLast((one) => /softmax/.test(one.op) && !one.gradient_of) ??
                    run.steps.find((one) => one.patterns) ??
                    run.steps[0]
                ).name,
                place: -1,
                held: false
            });
        const asked =
            index === undefined ? -1 : placeAt(this.step, index === "" ? [] : index.split(",").map(Number));
        if (asked >= 0) Object.assign(state, { place: asked, held: true });
        if (state.place < 0 || state.place >= count(this.step.shown))
            Object.assign(state, { place: this.step.rows > 1 ? this.step.columns : 0, held: false });
        this.keepInSight();
    }
    keepInSight() {
        const { state, step } = this;
        const index = indexOf(step, state.place);
        const begin = (from, i) => (i >= from && i < from + lens ? from : Math.max(0, i - lens / 2));
        state.row = begin(state.row, index.at(-2) ?? 0);
        state.column = begin(state.column, index.at(-1) ?? 0);
    }
    go(step, place = -1) {
        Object.assign(this.state, { step: step.name, place, held: place >= 0, row: 0, column: 0 });
        this.settle();
        this.moved(true);
    }
    point(place, held = this.state.held) {
        Object.assign(this.state, { place, held });
        this.keepInSight();
        this.moved(false);
    }
    moved(isNew) {
        const address = this.addressOf();
        if (!this.isStale && address !== location.hash)
            history[isNew ? "pushState" : "replaceState"](null, "", address);
        this.render();
        this.hooks.moved?.();
    }

    // --- drawing ---

    render() {
        const { page, run, step, state, stage } = this;
        document.documentElement.classList.toggle("every", state.every);
        const settings = { words: page.words, say: this.say.bind(this), precision: page.precision };
        const cell = { tensor: step, place: state.place };
        morph(
            this.root,
            element(
                "div",
                { id: this.root.id, class: "view" },
                this.header(),
                !state.every && [
                    element(
                        this.root.closest("main") ? "div" : "main",
                        { id: "step", tabindex: -1 },
                        element(
                            "section",
                            { class: "work" },
                            this.heading(cell),
                            this.lead(),
                            this.figures(cell),
                            this.switches(),
                            this.told(),
                            this.how()
                        ),
                        element(
                            "aside",
                            { class: "dock", "aria-label": page.words.arithmetic, tabindex: 0 },
                            this.dock(cell, settings)
                        ),
                        map(run, step, {
                            words: page.words,
                            address: (one) => this.addressOf(one, -1),
                            changed: (one) => this.isChanged(one)
                        }),
                        element("div", { class: "more" }, this.more())
                    )
                ],
                element(
                    "p",
                    { class: "foot" },
                    element("button", { type: "button", "data-do": "theme" }, page.words.theme)
                ),
                element("p", { id: "said", role: "status" })
            )
        );
        const at = run.steps.indexOf(step);
        document.title = `${step.name} · ${run.title}`;
        if (this.spoken !== step.name)
            this.speak(this.say("step", at + 1, run.steps.length) + ": " + step.name);
        this.spoken = step.name;
        for (const canvas of this.root.querySelectorAll("canvas[data-picture]")) {
            const [number, matrix] = canvas.dataset.picture.split(",").map(Number);
            const key = [stage.name, run.id, canvas.dataset.picture, canvas.width, canvas.height].join();
            if (this.painted.get(canvas) === key) continue;
            this.painted.set(canvas, key);
            paint(canvas, run.tensors[number], matrix);
        }
    }
    speak(text) {
        this.root.querySelector("#said").textContent = text;
    }

    header() {
        const { page, run, step, stage, hooks } = this;
        const { words } = page;
        const at = run.steps.indexOf(step);
        const stages = page.stages.map((one) => [one.name, one.runs[0].title]);
        return element(
            "header",
            {},
            !hooks.titled && element("a", { class: "skip", href: "#step", "data-do": "skip" }, words.skip),
            element("h1", { class: (hooks.titled || stages.length > 1) && "aside" }, run.title),
            stages.length > 1 &&
                element(
                    "label",
                    { class: "title" },
                    element("span", { class: "aside" }, words.stage),
                    element(
                        "select",
                        { "data-do": "stage" },
                        stages.map(([name, label]) =>
                            element("option", { value: name, selected: name === stage.name }, label)
                        )
                    )
                ),
            stage.book && element("span", { class: "where" }, this.say("book", stage.book)),
            element(
                "span",
                { class: "steps" },
                element(
                    "button",
                    {
                        type: "button",
                        "data-do": "back",
                        "aria-disabled": String(at === 0),
                        "aria-label": words.back,
                        "aria-keyshortcuts": "ArrowLeft"
                    },
                    "←"
                ),
                element("span", { id: "place" }, `${at + 1} / ${run.steps.length}`),
                element(
                    "button",
                    {
                        type: "button",
                        "data-do": "next",
                        "aria-disabled": String(at === run.steps.length - 1),
                        "aria-label": words.next,
                        "aria-keyshortcuts": "ArrowRight"
                    },
                    "→"
                )
            ),
            element(
                "span",
                { class: "right" },
                element(
                    "button",
                    { type: "button", "data-do": "every", "aria-pressed": String(this.state.every) },
                    words.all_steps
                ),
                element("button", { type: "button", "data-do": "link" }, words.copy_link)
            )
        );
    }
    labelAt(tensor, axis, i) {
        return tensor.run.axes[tensor.axes.at(axis)]?.labels?.[i];
    }
    // Masked weights have a question about their row as heading; other steps have their title.
    get asksForRow() {
        return this.step.shown.length > 1 && /softmax/.test(this.step.op) && chainOf(this.step).length > 2;
    }
    // The first sentence of the introduction. Below a question it stands alone, to keep the table near.
    get opening() {
        return /^.*?(?:[.!?](?=\s)|[。！？]|$)/s.exec(this.run.intro.textContent)[0];
    }
    lead() {
        return element(
            "p",
            { class: "lead" },
            this.asksForRow ? this.opening : this.step.article.querySelector(".note").textContent
        );
    }
    heading({ tensor, place }) {
        const row = indexOf(tensor, place).at(-2);
        const label = this.asksForRow ? (this.labelAt(tensor, -2, row) ?? String(row)) : undefined;
        const [before, after] = this.page.words.may_look.split("{0}");
        return element(
            "h2",
            {},
            label === undefined ? tensor.title : [before, element("bdi", { class: "who" }, label), after],
            " ",
            element("code", {}, tensor.name)
        );
    }
    figures(cell) {
        const { step, state, run } = this;
        const matrix = Math.floor(cell.place / (step.rows * step.columns));
        const figures = new Figures({
            ...state,
            cell,
            precision: this.page.precision,
            before: this.counterpart(step),
            words: this.page.words,
            say: this.say.bind(this)
        });
        const sources = sourcesOf(step, cell.place);
        const from = (tensor) =>
            new Set(sources.filter((one) => one.tensor === tensor).map((one) => one.place));
        const product = asProduct(step, cell.place);
        const sides = product
            ? [
                  [product.right, product.rightTransposed, "right"],
                  [product.left, product.leftTransposed, "left"]
              ]
            : step.inputs
                  .map((name) => run.byName.get(name))
                  .filter(Boolean)
                  .map((tensor) => [
                      sources.find((one) => one.tensor === tensor) ?? { tensor, place: 0 },
                      false,
                      "operand"
                  ]);
        // The lens of an operand moves with the result's lens, or is placed around the cell's operand.
        const placed = ({ tensor, place }, transposed, name) => {
            const index = indexOf(tensor, place);
            const [row, column] = [
                tensor.rows === step.rows ? state.row : Math.max(0, (index.at(-2) ?? 0) - lens / 2),
                tensor.columns === step.columns ? state.column : Math.max(0, (index.at(-1) ?? 0) - lens / 2)
            ];
            const line =
                name === "left"
                    ? { row: state.row }
                    : name === "right"
                      ? { column: state.column }
                      : { row, column };
            return figures.figure(tensor, {
                ...line,
                matrix: Math.floor(place / (tensor.rows * tensor.columns)),
                transposed,
                name,
                from: from(tensor)
            });
        };
        const isWeights = chainOf(step).at(-1) === step;
        return element(
            "div",
            {
                class: [
                    "figures",
                    product && "product",
                    isWeights && (step.columns > lens / 2 ? "wide" : "hero")
                ]
                    .filter(Boolean)
                    .join(" ")
            },
            figures.figure(step, {
                matrix,
                row: state.row,
                column: state.column,
                own: true,
                titled: isWeights
            }),
            !isWeights && sides.map(([side, transposed, name]) => placed(side, transposed, name))
        );
    }
    switches() {
        const { stage, run, page } = this;
        return (
            stage.runs.length > 1 &&
            element(
                "div",
                { class: "switches", role: "group", "aria-label": page.words.variants },
                stage.runs
                    .slice(1)
                    .map(({ id }) =>
                        element(
                            "button",
                            { type: "button", "data-off": id, "aria-pressed": String(run.id === id) },
                            page.words[(run.id === id ? "on_" : "off_") + id]
                        )
                    )
            )
        );
    }
    // Says how to read the table, which numbers agree with printed tables, and what a switch or an edit
    // changed.
    told() {
        const { step } = this;
        const { words } = this.page;
        const legend = this.asksForRow
            ? words.legend + (step.kinds.includes(masked) ? words.legend_masked : "")
            : "";
        const before = this.counterpart(step);
        const changed = before ? before.data.filter((x, place) => !Object.is(x, step.data[place])).length : 0;
        const text = before
            ? changed
                ? this.say("changed", changed, step.data.length)
                : words.unchanged
            : step.printed_in
              ? this.say(
                    "agrees",
                    step.data.length - new Set(step.disagreeing).size,
                    step.data.length,
                    step.printed_in.join(", ")
                )
              : "";
        return (legend || text) && element("p", { class: "told" }, legend, text);
    }
    // Shows formula, code and known errata, as the program wrote them.
    how() {
        return element("div", { class: "how" }, this.copies(".formula, .code, .errata"));
    }
    // Shows the rest of the text below the map.
    more() {
        const { run, step } = this;
        return [
            ...(this.asksForRow
                ? [
                      element("p", {}, run.intro.textContent.slice(this.opening.length)),
                      ...this.copies(".note")
                  ]
                : []),
            step === run.steps[0] && run.intro.cloneNode(true),
            run.setup.cloneNode(true)
        ];
    }
    copies(what) {
        return [...this.step.article.querySelectorAll(what)].map((one) => one.cloneNode(true));
    }
    dock({ tensor, place }, settings) {
        const { page } = this;
        const chain = chainOf(tensor);
        const names = indexOf(tensor, place)
            .map((i, axis) => this.labelAt(tensor, axis, i))
            .filter(Boolean)
            .join(" → ");
        const row = indexOf(tensor, place).at(-2);
        const given = this.hooks.edit && !this.state.off && this.given({ tensor, place });
        return [
            chain.length > 0 && element("h3", {}, this.say("row_of", this.labelAt(tensor, -2, row) ?? row)),
            chain.length > 0 &&
                bars(
                    chain,
                    { tensor, place },
                    {
                        ...settings,
                        first: this.state.column,
                        labels: tensor.run.axes[tensor.axes.at(-1)]?.labels
                    }
                ),
            element(
                "div",
                { class: "sum" },
                element(
                    "p",
                    { class: "name" },
                    element("b", {}, cellName(tensor, place)),
                    names && element("span", {}, "· " + names),
                    this.state.held &&
                        element(
                            "button",
                            { type: "button", "data-do": "release", title: page.words.release },
                            page.words.held + " ×"
                        )
                ),
                lines(tensor, place, settings)
            ),
            given && this.field(given)
        ];
    }
    // Returns the given number that a cell shows, its own or the one that it copies, or null for a computed
    // number.
    given({ tensor, place }) {
        if (!tensor.inputs.length)
            return count(tensor.shape) === count(tensor.shown) ? { tensor, place } : null;
        const [[, pieces] = [], ...more] = linesOf(tensor, place);
        const [source] = sourcesOf(tensor, place);
        return source && !more.length && pieces.flat().filter(Boolean).length === 1
            ? this.given(source)
            : null;
    }
    field({ tensor, place }) {
        const value = String(shortest(tensor.data[place]));
        const end = Math.max(1, 2 * (this.counterpart(tensor) ?? tensor).scale[1]);
        return element(
            "form",
            { class: "edit", id: "edit-" + cellName(tensor, place) },
            element(
                "label",
                {},
                tensor !== this.step && [element("code", {}, cellName(tensor, place)), " "],
                this.page.words.change_to,
                " ",
                element("input", {
                    "data-edit": "text",
                    inputmode: "decimal",
                    autocomplete: "off",
                    value: onScreen(value)
                })
            ),
            element("input", {
                type: "range",
                "data-edit": "range",
                min: -end,
                max: end,
                step: end / 200,
                value,
                "aria-label": this.page.words.change_to
            }),
            element("span", { class: "refusal", role: "alert", "data-keep": "" })
        );
    }

    // --- user actions ---

    cellOf(target) {
        const [number, place] = target.closest?.("td[data-cell]")?.dataset.cell.split("/").map(Number) ?? [];
        return number === undefined ? null : { tensor: this.run.tensors[number], place };
    }
    focusCell() {
        this.root.querySelector(".result td.at")?.focus({ preventScroll: true });
    }
    listen() {
        const { root } = this;
        root.addEventListener("pointerover", ({ target, pointerType }) => {
            const at = this.cellOf(target);
            if (
                at &&
                at.tensor === this.step &&
                pointerType !== "touch" &&
                !this.state.held &&
                at.place !== this.state.place
            )
                this.point(at.place);
        });
        root.addEventListener("focusin", ({ target }) => {
            const at = this.cellOf(target);
            if (at && at.tensor === this.step && !this.state.held && at.place !== this.state.place)
                this.point(at.place);
        });
        root.addEventListener("click", (event) => {
            const { target } = event;
            const at = this.cellOf(target);
            if (at) {
                if (at.tensor === this.step)
                    this.point(at.place, !(this.state.held && at.place === this.state.place));
                else if (at.tensor.isStep) this.go(at.tensor, at.place);
                return;
            }
            const one = target.closest(
                "[data-go], [data-step], [data-off], [data-matrix], [data-overview], [data-do]"
            );
            if (!one || one.nodeName === "SELECT") return;
            if (one.nodeName === "A") event.preventDefault();
            const { go, step, off, matrix, overview } = one.dataset;
            if (go) this.go(this.run.tensors[go.split("/")[0]], Number(go.split("/")[1]));
            else if (step) this.go(this.run.tensors[step]);
            else if (off) this.switchOff(off === this.state.off ? "" : off);
            else if (matrix)
                this.point(
                    Number(matrix) * this.step.rows * this.step.columns +
                        (this.state.place % (this.step.rows * this.step.columns))
                );
            else if (overview) this.slide(event, one, Number(overview));
            else this[one.dataset.do]();
        });
        root.addEventListener("change", ({ target }) => {
            if (target.dataset.do === "stage") this.choose(target.value);
        });
        root.addEventListener("input", ({ target }) => {
            if (target.dataset.edit) this.edit(target);
        });
        root.addEventListener("submit", (event) => event.preventDefault());
        document.addEventListener("keydown", (event) => this.key(event));
    }
    switchOff(off) {
        const { step, place, held } = this.state;
        Object.assign(this.state, { off });
        if (!this.run.byName.has(step)) this.state.step = "";
        this.settle();
        Object.assign(this.state, { place: Math.min(place, count(this.step.shown) - 1), held });
        this.moved(true);
    }
    choose(stage) {
        Object.assign(this.state, { stage, step: "", off: "", place: -1, held: false });
        this.settle();
        this.moved(true);
    }
    edit(input) {
        const value = typedNumber(input.value);
        const box = input.closest("form").querySelector(".refusal");
        box.textContent = Number.isNaN(value) ? this.say("no_number", input.value) : "";
        const { tensor, place } = this.given({ tensor: this.step, place: this.state.place });
        if (!Number.isNaN(value)) this.hooks.edit(cellName(tensor, place), String(value));
    }
    // Shows next to the field why a number was rejected.
    refuse(text) {
        this.root.querySelector(".refusal")?.replaceChildren(text);
    }
    slide({ clientX, clientY, detail }, box, scale) {
        if (detail === 0) return;
        const { left, top } = box.getBoundingClientRect();
        Object.assign(this.state, {
            row: Math.max(0, Math.round((clientY - top) / scale - lens / 2)),
            column: Math.max(0, Math.round((clientX - left) / scale - lens / 2))
        });
        this.render();
    }
    release() {
        this.point(this.state.place, false);
    }
    skip() {
        this.focusCell();
    }
    back() {
        this.turn(-1);
    }
    next() {
        this.turn(1);
    }
    turn(by) {
        const to = this.run.steps[this.run.steps.indexOf(this.step) + by];
        if (to) this.go(to);
    }
    every() {
        this.state.every = !this.state.every;
        this.render();
    }
    theme() {
        const root = document.documentElement;
        const dark = getComputedStyle(root).colorScheme === "dark";
        root.classList.toggle("dark", !dark);
        root.classList.toggle("light", dark);
        this.painted = new WeakMap();
        this.render();
    }
    async link() {
        history.replaceState(null, "", this.addressOf(this.step, this.state.place));
        const done = await copied(location.href);
        const button = this.root.querySelector("[data-do=link]");
        button.textContent = done ? this.page.words.copied : this.page.words.not_copied;
        this.speak(button.textContent);
        setTimeout(() => {
            button.textContent = this.page.words.copy_link;
        }, 2000);
    }
    key(event) {
        if (
            event.altKey ||
            event.ctrlKey ||
            event.metaKey ||
            /INPUT|SELECT|TEXTAREA/.test(event.target.nodeName) ||
            !this.page ||
            this.root.offsetParent === null
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
        const at = this.cellOf(event.target);
        if (event.key === "Escape" && this.state.held) return this.release();
        if (at?.tensor === this.step) {
            if (event.key === "Enter" || event.key === " ") this.point(at.place, !this.state.held);
            else if (moves[event.key]) {
                const index = indexOf(this.step, at.place);
                const rank = index.length;
                if (rank > 1) index[rank - 2] += moves[event.key][0];
                if (rank > 0)
                    index[rank - 1] = Math.max(
                        0,
                        Math.min(this.step.columns - 1, index[rank - 1] + moves[event.key][1])
                    );
                const to = placeAt(this.step, index);
                if (to >= 0) (this.point(to), this.focusCell());
            } else return;
            event.preventDefault();
            return;
        }
        const scroller = event.target.closest?.(".scroll, pre, .formula, .dock, [role=tablist]");
        if (
            (event.key !== "ArrowLeft" && event.key !== "ArrowRight") ||
            (scroller && (scroller.scrollWidth > scroller.clientWidth || scroller.role === "tablist"))
        )
            return;
        event.preventDefault();
        this.turn(event.key === "ArrowRight" ? 1 : -1);
    }
}
export async function copied(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const field = element("textarea", {});
        field.value = text;
        document.body.append(field);
        field.select();
        const done = document.execCommand("copy");
        field.remove();
        return done;
    }
}
