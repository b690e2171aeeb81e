// The page: its state, what is drawn from it, and what a reader does to it.
import { byId, element, readPalette, unfoldTables } from "./dom.mjs";
import { asTyped, numberText, plainText } from "./numbers.mjs";
import { addressOf, count, indexOf, placeAt, readTrace, Run } from "./trace.mjs";
import { StageMap } from "./map.mjs";
import { Workbench } from "./workbench.mjs";
import { Panel } from "./panel.mjs";

const page = JSON.parse(byId("data").textContent);
const words = page.words;
const say = (key, ...values) => words[key].replace(/\{(\d)\}/g, (_, i) => values[i]);
const root = document.documentElement;
const { stages, steps } = readTrace(page);
const palette = readPalette();

const state = {
    at: 0, cell: null, held: false, variant: "", edits: new Map(stages.map((stage) => [stage, new Map()])),
    matrix: 0, rows: 0, columns: 0, precision: page.precision, sums: false, ticks: false, predict: false, all: false,
    revealed: new Set(), said: null,
};
const current = () => steps[state.at];
const lessonOf = (stage) => stage.byName.get("inputs");

// --- the run that is shown: computed once for each switch and set of edits ---

let known = {};
function currentRun() {
    const { stage } = current();
    const edits = state.edits.get(stage);
    const key = [stage.name, state.variant, ...[...edits].flat()].join();
    if (known.key !== key) known = { key, run: new Run(stage, state.variant, edits), by: "page" };
    return known.run;
}

// --- the program around this page, if there is one: told where the reader is, it hands back its own numbers for edits ---

const host = window.parent === window ? null : window.parent;
window.addEventListener("message", ({ source, data }) => {
    if (!host || source !== host || typeof data?.of !== "string" || typeof data.values !== "object") return;
    const [of, now] = [data.of, location.hash].map((hash) => [hash.split("/")[0], hash.split("?")[1]].join("?"));
    if (of !== now || state.variant) return;  // for edits that have changed since
    currentRun().take(data.values);
    known.by = "program";
    render();
});
if (host) new ResizeObserver(() => host.postMessage({ height: document.body.getBoundingClientRect().height }, "*")).observe(document.body);

// --- words of the article, as they came and as a switch has them ---

const articles = new Map(steps.map((step) => {
    const article = byId(step.id);
    const part = (of) => article.querySelector(of);
    const code = part(".code code");
    return [step, { article, title: part("h3").firstChild, note: part(".note"), code, formulas: [...article.querySelectorAll(".formula")],
        was: { title: part("h3").firstChild.data, note: part(".note").textContent, code: code.textContent } }];
}));
const sections = new Map(stages.map((stage) => {
    const section = byId(stage.name);
    const intro = section.querySelector(".intro");
    return [stage, { section, intro, was: intro.textContent }];
}));
const navigation = new Map([...document.querySelectorAll("nav a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));

function showWords(step, changed, variant) {
    const { title, note, code, formulas, was } = articles.get(step);
    title.data = changed?.title ? changed.title + " " : was.title;
    note.textContent = changed?.note ?? was.note;
    code.textContent = was.code;
    if (changed?.code) {
        const lines = was.code.split("\n");
        code.replaceChildren(lines.slice(0, -1).map((line) => line + "\n").join(""), element("del", {}, lines.at(-1)), "\n", element("ins", {}, changed.code));
    }
    const other = formulas.find((one) => one.dataset.variant === variant);
    for (const one of formulas) {
        one.hidden = Boolean(one.dataset.variant) && one !== other;
        one.classList.toggle("gone", Boolean(other) && !one.dataset.variant);
    }
}
function wordsAsTheyWere() {
    for (const step of steps) showWords(step, undefined, "");
    for (const { intro, was } of sections.values()) intro.textContent = was;
}

// --- drawing ---

const bench = new Workbench(element("div"), { words, say, palette });
const panel = new Panel(element("div", { id: "panel-cell" }), { words, say });
const telling = element("p", { class: "telling" });
const work = element("div", { class: "work" }, bench.box, telling, element("section", { class: "panel", "aria-label": words.arithmetic }, panel.box));
const mapBox = byId("map");
const drawn = {};  // what each part was last drawn from
function once(part, key, draw) {
    const text = key.join("\u0000");
    if (drawn[part] === text) return;
    drawn[part] = text;
    draw();
}
const isVeiled = (step, place) => state.predict && !state.revealed.has(step.id + "/" + place);

let map;
function render() {
    const step = current();
    const run = currentRun();
    root.classList.toggle("all", state.all);
    once("step", [step.id, state.all], () => showStep(step));
    once("variants", [step.stage.name, state.variant, state.all], () => showVariants(step.stage));
    once("words", [step.id, state.variant, state.all], () => {
        wordsAsTheyWere();
        if (state.all) return;
        showWords(step, run.words(step), state.variant);
        sections.get(step.stage).intro.textContent = run.variant?.intro ?? sections.get(step.stage).was;
    });
    once("map", [step.stage.name], () => { map = new StageMap(mapBox, step.stage, { palette, visit }); drawn.paint = null; });
    once("paint", [known.key, known.by, getComputedStyle(root).colorScheme], () => map.paint(run));
    const { cell, held } = state;
    const revealed = state.predict ? [...state.revealed].join() : "";
    const focus = bench.places.get(document.activeElement);
    once("bench", [step.id, known.key, known.by, state.matrix, state.rows, state.columns, state.precision, state.sums, state.ticks, state.predict, revealed], () => {
        bench.draw({ run, step, matrix: state.matrix, rows: state.rows, columns: state.columns, precision: state.precision, sums: state.sums, ticks: state.ticks,
            veiled: (place) => isVeiled(step, place), anchor: held && cell.tensor === step ? cell.place : null,
            choose: (lens) => { Object.assign(state, lens); render(); } });
        telling.textContent = told(step, run);
        telling.hidden = telling.textContent === "";
        drawn.marks = null;
    });
    if (focus?.own && !document.activeElement?.isConnected | document.activeElement === document.body) bench.elementOf(focus.tensor, focus.place)?.focus();
    once("marks", [cell && addressOf(cell.tensor, cell.place), held, state.at], () => {
        const path = cell ? run.path(cell.tensor, cell.place) : null;
        bench.mark({ cell, held, sources: cell ? run.sources(cell.tensor, cell.place) : new Set(), path: path ?? new Map() });
        bench.setTabStop(step, cell?.tensor === step ? cell.place : state.matrix * step.rows * step.columns);
        map.mark({ run, step, path, changedWord: words.is_changed });
    });
    once("panel", [drawn.bench, drawn.marks, state.said?.text], () => panel.draw({
        run, cell, held, precision: state.precision, veiled: Boolean(cell) && cell.tensor === step && isVeiled(step, cell.place),
        said: state.said && cell && state.said.id === cell.tensor.id + "/" + cell.place ? state.said.text : "",
        visit, predict, edit, labels: (axis) => step.stage.axes[axis]?.labels, scale: (tensor) => bench.scale(tensor) }));
    root.dataset.computed = known.by;
    if (host) once("told", [location.hash], () => host.postMessage({ at: location.hash }, "*"));
    const edited = state.edits.get(step.stage).size;
    byId("edited").hidden = edited === 0;
    byId("lesson").hidden = !run.edited.has(lessonOf(step.stage));
    byId("edited-count").textContent = say("edited", edited);
    for (const id of ["sums", "ticks", "predict", "all"]) byId(id).setAttribute("aria-pressed", String(state[id]));
}

// Sentences under the tables: what agrees with print, and what a switch or an edit changes.
function told(step, run) {
    const sentences = [];
    const changed = run.isChanged(step) ? step.data.filter((_, place) => run.differs(step, place)).length : 0;
    if (run.edited.size) sentences.push(words.edited_words);
    if (run.variant || run.edited.size) sentences.push(changed ? say("changed", changed, step.data.length) : words.unchanged);
    if (state.ticks) {
        const wrong = new Set(step.disagreeing ?? []).size;
        sentences.push(changed ? words.not_compared
            : step.printed_in ? say("agrees", step.data.length - wrong, step.data.length, step.printed_in.join(", ")) : words.not_printed);
    }
    return sentences.join(" ");
}

function showStep(step) {
    for (const [one, { article }] of articles) article.classList.toggle("on", one === step);
    for (const [stage, { section }] of sections) {
        section.classList.toggle("on", stage === step.stage);
        section.classList.toggle("first", stage === step.stage && step === stage.steps[0]);
    }
    for (const [id, link] of navigation) {
        if (id === step.id || id === step.stage.name) link.setAttribute("aria-current", id === step.id ? "step" : "true");
        else link.removeAttribute("aria-current");
    }
    if (!state.all) articles.get(step).article.append(work);
    else work.remove();
    byId("back").setAttribute("aria-disabled", String(state.at === 0));
    byId("next").setAttribute("aria-disabled", String(state.at === steps.length - 1));
    byId("place").textContent = `${state.at + 1} / ${steps.length}`;
    byId("said").textContent = say("step", state.at + 1, steps.length) + ": " + step.name;
    requestAnimationFrame(() => map?.reveal(current()));
    const stage = navigation.get(step.stage.name);
    const list = stage?.closest(".contents");
    if (list) list.scrollLeft = stage.offsetLeft - list.offsetLeft - list.clientWidth / 2;
}

function choices(box, entries, chosen, choose) {
    const buttons = entries.map(([value, label]) => element("button", { type: "button", "aria-pressed": String(value === chosen()),
        click: () => {
            choose(value);
            entries.forEach(([one], i) => buttons[i].setAttribute("aria-pressed", String(one === chosen())));
            render();
        } }, label));
    box.replaceChildren(...buttons);
}
function showVariants(stage) {
    const box = byId("variants");
    box.hidden = stage.variants.length === 0 || state.all;
    if (box.contains(document.activeElement)) return;
    choices(box, [["", words.as_it_is], ...stage.variants.map((variant) => [variant.id, variant.label])],
        () => state.variant, (value) => { state.variant = value; writeAddress(); });
}

// --- the address: #stage/step/index?off=mask&tensor[0,1]=0.5 ---

function addressFor(step, place, index = place === undefined ? "" : "/" + indexOf(step, place).join(",")) {
    const query = [];
    if (state.variant && step.stage.variants.some((one) => one.id === state.variant)) query.push("off=" + state.variant);
    for (const tensor of step.stage.tensors) {
        tensor.data.forEach((_, at) => {
            const value = state.edits.get(step.stage).get(addressOf(tensor, at));
            if (value !== undefined) query.push(`${tensor.name}[${indexOf(tensor, at).join(",")}]=${value}`);
        });
    }
    return "#" + step.id + index + (query.length ? "?" + query.join("&") : "");
}
function writeAddress() {
    history.replaceState(null, "", state.held ? addressFor(current(), state.cell.place) : addressFor(current()));
}
function readAddress() {
    let hash = "";
    try {
        hash = decodeURIComponent(location.hash.slice(1));
    } catch {
        // an address that nobody can read leads to where the reader is
    }
    const [place, query = ""] = hash.split("?");
    const [stageName, name, index] = place.split("/");
    const at = steps.findIndex((step) => step.stage.name === stageName && (name === undefined || step.name === name));
    if (at >= 0) {
        const { stage } = steps[at];
        state.at = at;
        Object.assign(state, { cell: null, held: false, said: null });
        const edits = new Map();
        let off = "";
        for (const pair of query.split("&")) {
            const edit = /^(\w+)\[([\d,]*)\]=(.+)$/.exec(pair);
            const tensor = edit && stage.byName.get(edit[1]);
            const where = tensor ? placeAt(tensor, edit[2] === "" ? [] : edit[2].split(",").map(Number)) : -1;
            if (where >= 0 && Number.isFinite(Number(edit[3]))) edits.set(addressOf(tensor, where), Number(edit[3]));
            if (pair.startsWith("off=") && stage.variants.some((one) => one.id === pair.slice(4))) off = pair.slice(4);
        }
        state.variant = off;
        state.edits.set(stage, edits);
        const cell = index === undefined ? -1 : placeAt(steps[at], index === "" ? [] : index.split(",").map(Number));
        if (cell >= 0) look(steps[at], cell, true);
        else if (state.matrix >= steps[at].matrices) state.matrix = 0;
    }
    render();
}
function look(tensor, place, held) {
    Object.assign(state, { cell: { tensor, place }, held });
    if (tensor !== current()) return;
    const index = indexOf(tensor, place);
    const seen = (begin, i) => (i >= begin && i < begin + 16 ? begin : Math.max(0, i - 8));
    state.matrix = Math.floor(place / (tensor.rows * tensor.columns));
    state.rows = seen(state.rows, index.at(-2) ?? 0);
    state.columns = seen(state.columns, index.at(-1) ?? 0);
}
function visit(step, place) {
    history.pushState(null, "", addressFor(step, place));
    readAddress();
}
function go(at) {
    if (at >= 0 && at < steps.length) visit(steps[at]);
}

// --- what a reader does ---

function point(tensor, place) {
    if (state.held || (state.cell?.tensor === tensor && state.cell.place === place)) return;
    state.cell = { tensor, place };
    render();
}
function hold(tensor, place) {
    if (tensor !== current()) {
        if (tensor.isStep) visit(tensor, place);
        return;
    }
    const same = state.held && state.cell.place === place;
    look(tensor, place, !same);
    writeAddress();
    render();
}
function letGo() {
    state.held = false;
    writeAddress();
    render();
}
function predict(tensor, place, guess) {
    const value = currentRun().values(tensor)[place];
    const id = tensor.id + "/" + place;
    state.revealed.add(id);
    state.said = guess === null ? null : { id, text: say("off_by", numberText(guess, "fixed", "full"), numberText(Math.abs(guess - value), "fixed", 4)) };
    render();
    bench.elementOf(tensor, place)?.focus();
}
function edit(address, value) {
    const focused = document.activeElement?.id;
    state.edits.get(current().stage).set(address, value);
    writeAddress();
    render();
    if (focused) byId(focused)?.focus();
}

work.addEventListener("pointerover", (event) => {
    const at = bench.places.get(event.target.closest?.("td"));
    if (at && event.pointerType !== "touch") point(at.tensor, at.place);
});
work.addEventListener("focusin", (event) => {
    const at = bench.places.get(event.target);
    if (at) point(at.tensor, at.place);
});
bench.box.addEventListener("click", (event) => {
    const at = bench.places.get(event.target.closest?.("td"));
    if (at) hold(at.tensor, at.place);
});

// Moves from a cell of the result, taking the lens along.
function moveFrom({ tensor, place }, [down, across]) {
    const index = indexOf(tensor, place);
    const rank = index.length;
    if (rank > 1) index[rank - 2] += down;
    if (rank > 0) index[rank - 1] = Math.max(0, Math.min(tensor.columns - 1, index[rank - 1] + across));
    const to = placeAt(tensor, index);
    if (to < 0) return;
    if (!state.held) look(tensor, to, false);
    else look(tensor, to, true), writeAddress();
    render();
    bench.elementOf(tensor, to)?.focus();
}
const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };
document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "INPUT") return;
    const at = bench.places.get(event.target);
    if (event.key === "Escape") {
        if (state.held) letGo();
        else if (at) articles.get(current()).article.focus();
        return;
    }
    if (at?.own) {
        if (moves[event.key]) {
            event.preventDefault();
            moveFrom(at, moves[event.key]);
        } else if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            hold(at.tensor, at.place);
        }
        return;
    }
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const scroller = event.target.closest?.(".scroll, pre, .formula");
    if (scroller && scroller.scrollWidth > scroller.clientWidth) return;
    event.preventDefault();
    const inMap = mapBox.contains(event.target);
    go(state.at + (event.key === "ArrowRight" ? 1 : -1));
    if (inMap) mapBox.querySelector("[aria-current]")?.focus();
});
window.addEventListener("hashchange", readAddress);
window.addEventListener("popstate", readAddress);
byId("back").addEventListener("click", () => go(state.at - 1));
byId("next").addEventListener("click", () => go(state.at + 1));
for (const id of ["sums", "ticks", "predict"]) {
    byId(id).addEventListener("click", () => {
        state[id] = !state[id];
        if (id === "predict") state.revealed.clear();
        render();
    });
}
byId("all").addEventListener("click", () => {
    state.all = !state.all;
    unfoldTables();
    render();
    articles.get(current()).article.scrollIntoView();
});
byId("view").addEventListener("click", () => {
    byId("tools").hidden = !byId("tools").hidden;
    byId("view").setAttribute("aria-expanded", String(!byId("tools").hidden));
});
byId("theme").addEventListener("click", () => {
    const dark = getComputedStyle(root).colorScheme === "dark";
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
    render();
});
byId("reset").addEventListener("click", () => {
    state.edits.get(current().stage).clear();
    writeAddress();
    render();
    byId("next").focus();
});
byId("lesson").addEventListener("click", () => {
    const run = currentRun();
    const inputs = lessonOf(run.stage);
    const rows = Array.from({ length: inputs.rows }, (_, row) => run.values(inputs).slice(row * inputs.columns, (row + 1) * inputs.columns));
    const text = JSON.stringify({ tokens: page.tokens, embeddings: rows.map((row) => row.map((x) => Number(plainText(x, "fixed", "full")))) });
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "lesson.json" });
    link.click();
    URL.revokeObjectURL(link.href);
});
choices(byId("precision"), [...new Set([2, 4, page.precision])].sort((a, b) => a - b).map((n) => [n, String(n)]).concat([["full", words.full]]),
    () => state.precision, (value) => { state.precision = value; });

function asTensor(step) {
    const values = currentRun().values(step);
    const text = (x) => (Number.isNaN(x) ? "torch.nan" : !Number.isFinite(x) ? (x < 0 ? "-torch.inf" : "torch.inf")
        : Number.isInteger(x) && Math.abs(x) < 1e15 ? x.toFixed(1) : plainText(x, "fixed", "full"));
    let next = 0;
    const nested = (axis) => axis === step.shown.length ? text(values[next++])
        : "[" + Array.from({ length: step.shown[axis] }, () => nested(axis + 1)).join(axis + 1 === step.shown.length ? ", " : ",\n" + " ".repeat(14 + axis)) + "]";
    return `torch.tensor(${nested(0)})`;
}
byId("copy").addEventListener("click", async () => {
    const step = current();
    const text = asTensor(step);
    let done = false;
    try {
        await navigator.clipboard.writeText(text);
        done = true;
    } catch {
        const area = element("textarea", {}, text);
        document.body.append(area);
        area.select();
        done = document.execCommand("copy");
        area.remove();
        byId("copy").focus();
    }
    byId("said").textContent = done ? say(count(step.shape) === count(step.shown) ? "copied" : "copied_part", step.name) : words.not_copied;
    byId("copy").title = byId("said").textContent;
});
document.addEventListener("copy", (event) => {
    if (event.target.tagName === "INPUT" || event.target.tagName === "TEXTAREA") return;
    event.clipboardData.setData("text/plain", asTyped(String(getSelection())));
    event.preventDefault();
});
// Paper shows the run as the program made it.
window.addEventListener("beforeprint", () => { wordsAsTheyWere(); unfoldTables(); });
window.addEventListener("afterprint", () => { drawn.words = null; render(); });

root.classList.add("js");
document.querySelectorAll(".controls, #map").forEach((one) => { one.hidden = false; });
readAddress();
