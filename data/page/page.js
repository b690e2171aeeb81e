
"use strict";
// The page's behaviour. Everything it says is in the page already: tables with their headings, and, in #data, every
// number in full and the arithmetic the operations explain it with. Text only ever enters as text nodes.
(() => {
const page = JSON.parse(document.getElementById("data").textContent);
const words = page.words;
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const say = (key, ...values) => words[key].replace(/\{(\d)\}/g, (_, i) => values[i]);
const make = (tag, text, name) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    return element;
};

// --- the data, in a form to look things up in ---

const steps = [];  // of all stages, in reading order
const special = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };
const numbers = (data) => data.map((x) => (typeof x === "string" ? special[x] : x));
const product = (sizes) => sizes.reduce((a, b) => a * b, 1);

page.stages.forEach((stage, s) => {
    stage.section = byId(stage.name);
    stage.steps.forEach((step, n) => {
        step.stage = stage;
        step.number = n;
        step.id = stage.name + "/" + step.name;
        step.article = byId(step.id);
        step.tables = [...step.article.querySelectorAll("table[data-s]")];
        step.holder = step.article.querySelector(".tables");
        step.data = numbers(step.data);
        const rank = step.shown.length;
        step.columns = rank > 0 ? step.shown[rank - 1] : 1;
        step.rows = rank > 1 ? step.shown[rank - 2] : 1;
        step.key = s + "." + n;
        steps.push(step);
    });
    stage.byAddress = [...stage.steps].sort((a, b) => a.address - b.address);
    stage.extra = new Map(stage.others.map((other) => [other[0], other]));
    for (const variant of stage.variants) {
        variant.extra = new Map(variant.others.map((other) => [other[0], other]));
        for (const changed of Object.values(variant.steps)) {
            if (changed.data) changed.data = numbers(changed.data);
        }
    }
});
// What the page came with, before anything is switched.
function remember(step) {
    if (step.texts) return;
    const cells = step.tables.flatMap((table) => [...table.tBodies[0].rows].flatMap((row) => [...row.cells].slice(1)));
    step.texts = cells.map((cell) => cell.textContent);
    step.colours = cells.map((cell) => cell.className);
}
const stepOf = new Map(steps.map((step) => [step.key, step]));

const state = { at: 0, precision: page.precision, variant: "", sums: false, ticks: false, predict: false,
                cell: null, held: false, revealed: new Set(), shown: [] };
const current = () => steps[state.at];
const variantOf = (stage) => stage.variants.find((variant) => variant.id === state.variant);
const changedStep = (step) => variantOf(step.stage)?.steps[step.number];
const valuesOf = (step) => changedStep(step)?.data ?? step.data;

// Place of a number among those shown ↔ its index in the whole tensor ↔ its address.
function indexOf(step, place) {
    const index = [];
    for (let axis = step.shown.length - 1; axis >= 0; --axis) {
        index[axis] = place % step.shown[axis];
        place = Math.floor(place / step.shown[axis]);
    }
    return index;
}
function placeOf(step, address) {
    let offset = address - step.address;
    const index = [];
    for (let axis = step.shape.length - 1; axis >= 0; --axis) {
        index[axis] = offset % step.shape[axis];
        offset = Math.floor(offset / step.shape[axis]);
        if (index[axis] >= step.shown[axis]) return -1;
    }
    return index.reduce((place, i, axis) => place * step.shown[axis] + i, 0);
}
// { step, place } of an address that a table shows, { name, index, value } of another.
function find(stage, address) {
    for (const step of stage.byAddress) {
        if (address >= step.address && address < step.address + product(step.shape)) {
            const place = placeOf(step, address);
            if (place >= 0) return { step, place, value: valuesOf(step)[place], name: step.name, index: indexOf(step, place) };
        }
    }
    const other = variantOf(stage)?.extra.get(address) ?? stage.extra.get(address);
    return other && { name: other[1], index: other[2], value: numbers([other[3]])[0] };
}

// --- arithmetic: a tree whose leaves are numbers, { value }, and numbers that are looked up, { address } ---

// How a number came about: lines, the last of which gives it, or null. An address below 0 is what line -1 - address
// comes to.
function arithmeticOf(step, place) {
    const arithmetic = changedStep(step)?.arithmetic ?? step.arithmetic;
    if (!arithmetic) return null;
    const index = indexOf(step, place);
    const pattern = arithmetic.patterns[patternAt(arithmetic.cells, place)];
    const inCell = (x) => !Array.isArray(x) ? { value: special[x] ?? x }
        : typeof x[0] === "string" ? [x[0], ...x.slice(1).map(inCell)]
        : { address: x.reduce((sum, growth, axis) => sum + growth * index[axis - 1]) };
    return pattern.map(([part, arithmetic]) => ({ part, arithmetic: inCell(arithmetic) }));
}
function patternAt(cells, place) {
    let i = 0;
    for (; place >= cells[i]; i += 2) place -= cells[i];
    return cells[i + 1];
}
const addressesIn = (x) => (Array.isArray(x) ? x.flatMap(addressesIn) : x.address === undefined ? [] : [x.address]);

const operations = {
    " + ": (...terms) => terms.reduce((a, b) => a + b), " − ": (a, b) => a - b, " · ": (a, b) => a * b, "·": (a, b) => a * b,
    " / ": (a, b) => a / b, " ≤ ": (a, b) => Number(a <= b), " = ": (a, b) => Number(a === b), " ≠ ": (a, b) => Number(a !== b),
    max: Math.max, exp: Math.exp, ln: Math.log, sin: Math.sin, cos: Math.cos, sqrt: Math.sqrt, abs: Math.abs,
};
// In double precision, but with the range of float32.
function evaluate(x, lookUp) {
    const value = Array.isArray(x) ? operations[x[0]](...x.slice(1).map((part) => evaluate(part, lookUp)))
        : x.value ?? lookUp(x.address);
    return Math.abs(value) > 3.4028234663852886e38 ? Math.sign(value) * Infinity : value;
}

// What each line comes to; NaN where a number is not part of the page.
function valuesOfLines(stage, lines) {
    const values = [];
    for (const line of lines) {
        values.push(evaluate(line.arithmetic, (at) => (at < 0 ? values[-1 - at] : find(stage, at)?.value ?? NaN)));
    }
    return values;
}

// --- numbers as text ---

function fixed(x, digits) {
    const scaled = Math.abs(x) * 10 ** digits;
    const tie = scaled - Math.floor(scaled) === 0.5 && Math.floor(scaled) % 2 === 0;  // to even, as PyTorch prints
    return tie ? (x < 0 ? "-" : "") + (Math.floor(scaled) / 10 ** digits).toFixed(digits) : x.toFixed(digits);
}
function format(x, notation, precision) {
    if (Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return x < 0 ? "-inf" : "inf";
    if (precision === "full") return Object.is(x, -0) ? "-0" : String(x);
    if (notation === "whole" && Number.isInteger(x)) return x.toFixed(0) + ".";
    if (notation === "scientific") {
        return x.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2");
    }
    return (Object.is(x, -0) || (x < 0 && Number(fixed(x, precision)) === 0) ? "-" : "") + fixed(Math.abs(x) === 0 ? 0 : x, precision).replace(/^-(?=0\.?0*$)/, "");
}
function textOf(step, place) {
    const changed = changedStep(step)?.data;
    return state.precision === page.precision && !changed
        ? step.texts[place] : format(valuesOf(step)[place], step.notation, state.precision);
}
function colourOf(step, place) {
    remember(step);
    const x = valuesOf(step)[place];
    if (Object.is(x, step.data[place])) return step.colours[place];
    const [diverging, limit] = step.scale;
    if (!Number.isFinite(x)) return x < 0 ? "m" : "n";
    if (x === 0) return "z";
    const share = Math.max(-1, Math.min(1, x / limit));
    return (diverging ? "b" : "a") + Math.floor((diverging ? (share + 1) / 2 : Math.max(0, share)) * 63 + 0.5);
}

// --- tables ---

const cellAt = (step, table, place) => {
    const inMatrix = place - Number(table.dataset.m) * step.rows * step.columns;
    if (inMatrix < 0 || inMatrix >= step.rows * step.columns) return null;
    return table.tBodies[0].rows[Math.floor(inMatrix / step.columns)].cells[inMatrix % step.columns + 1];
};
const placeAt = (cell) => {
    const table = cell.closest("table[data-s]");
    if (!table || cell.tagName !== "TD" || cell.classList.contains("sum") || cell.classList.contains("corner")) return null;
    const step = stepOf.get(table.dataset.s);
    const row = cell.parentNode.sectionRowIndex;
    return { step, table, place: (Number(table.dataset.m) * step.rows + row) * step.columns + cell.cellIndex - 1 };
};
const tablesOf = (step) => [...step.tables, ...document.querySelectorAll(`.sources table[data-s="${step.key}"]`)];
const isVeiled = (step, place) => state.predict && step === current() && !root.classList.contains("all") &&
    !state.revealed.has(step.address + place);

function dress(step, table) {
    remember(step);
    const changed = changedStep(step)?.data;
    const wrong = new Set(step.disagreeing ?? []);
    [...table.tBodies[0].rows].forEach((row, r) => {
        for (let c = 0; c < step.columns; ++c) {
            const place = (Number(table.dataset.m) * step.rows + r) * step.columns + c;
            const cell = row.cells[c + 1];
            const value = valuesOf(step)[place];
            const veiled = isVeiled(step, place);
            cell.className = veiled ? "veiled" : colourOf(step, place);
            cell.textContent = veiled ? "?" : textOf(step, place);
            if (changed && !veiled && !Object.is(value, step.data[place])) {
                cell.classList.add("changed");
                cell.append(make("s", format(step.data[place], step.notation, state.precision)));
            }
            if (state.ticks && step.printed_in && !changed && !veiled && product(step.shape) === product(step.shown)) {
                cell.classList.add(wrong.has(place) ? "off" : "ok");
            }
        }
        row.querySelector(".sum")?.remove();
        if (state.sums && step.shown.length > 0 && step === current()) {
            const from = (Number(table.dataset.m) * step.rows + r) * step.columns;
            const whole = step.shape.at(-1) === step.columns;
            const values = valuesOf(step).slice(from, from + step.columns);
            const total = values.reduce((a, b) => a + b, 0);
            const hidden = values.some((_, c) => isVeiled(step, from + c));
            row.append(make("td", hidden || !whole ? "…" : format(state.precision === "full" ? Math.fround(total) : total, "fixed", state.precision), "sum"));
        }
    });
    const head = table.tHead.rows[0];
    head.querySelector(".sum")?.remove();
    if (state.sums && step.shown.length > 0 && step === current()) {
        const th = make("th", words.sum, "sum");
        th.scope = "col";
        head.append(th);
    }
}

function dressed() {
    const all = root.classList.contains("all");
    for (const step of all ? steps : [current()]) {
        step.tables.forEach((table) => dress(step, table));
        tellAbout(step);
    }
    for (const table of document.querySelectorAll(".sources table[data-s]")) dress(stepOf.get(table.dataset.s), table);
    for (const stage of page.stages) {
        const intro = stage.section.querySelector(".intro");
        stage.intro ??= intro.textContent;
        intro.textContent = variantOf(stage)?.intro ?? stage.intro;
    }
    setTabStop();
    highlight();
}

// Sentences under a step's tables: what agrees with print, what a switch changes, the line of code before and after.
function tellAbout(step) {
    step.article.querySelectorAll(".agreement, .change").forEach((old) => old.remove());
    const after = step.article.querySelector(".legend") ?? step.holder;
    const changed = changedStep(step);
    if (state.ticks) {
        const wrong = new Set(step.disagreeing ?? []).size;
        after.after(make("p", step.printed_in
            ? say("agrees", step.data.length - wrong, step.data.length, step.printed_in.join(", ")) : words.not_printed, "agreement"));
    }
    if (state.variant && variantOf(step.stage)) {
        const count = changed?.data ? changed.data.filter((x, i) => !Object.is(x, step.data[i])).length : 0;
        after.after(make("p", count ? say("changed", count, step.data.length) : words.unchanged, "change"));
    }
    const title = step.article.querySelector("h3").firstChild;
    const note = step.article.querySelector(".note");
    step.words ??= { title: title.data, note: note.textContent };
    title.data = changed?.title ? changed.title + " " : step.words.title;
    note.textContent = changed?.note ?? step.words.note;
    const code = step.article.querySelector(".code code");
    step.code ??= code.textContent;
    code.textContent = step.code;
    if (changed?.code) {
        const lines = step.code.split("\n");
        code.textContent = lines.slice(0, -1).map((line) => line + "\n").join("");
        code.append(make("del", lines.at(-1)), "\n", make("ins", changed.code));
    }
}

// --- one step at a time ---

function showSources(step) {
    document.querySelectorAll(".sources").forEach((old) => old.remove());
    const sources = step.inputs.map((name) => step.stage.steps.find((one) => one.name === name)).filter(Boolean);
    if (!sources.length) return;
    const box = make("div", undefined, "sources");
    box.append(make("p", words.made_from));
    for (const source of sources) {
        remember(source);
        const tables = make("div", undefined, "tables");
        tables.tabIndex = 0;
        tables.setAttribute("role", "group");
        tables.setAttribute("aria-label", source.name);
        for (const table of source.tables) tables.append(table.cloneNode(true));
        tables.querySelectorAll("td").forEach((cell) => cell.removeAttribute("tabindex"));
        tables.querySelectorAll("table").forEach((table) => table.removeAttribute("role"));
        box.append(tables);
    }
    step.article.append(box);
}

function show(at, { focus = false } = {}) {
    state.at = Math.max(0, Math.min(steps.length - 1, at));
    const step = current();
    for (const one of steps) one.article.classList.toggle("on", one === step);
    for (const stage of page.stages) {
        stage.section.classList.toggle("on", stage === step.stage);
        stage.section.classList.toggle("first", stage === step.stage && step.number === 0);
    }
    document.querySelectorAll("nav a").forEach((link) => {
        const name = decodeURIComponent(link.hash.slice(1));
        if (name === step.id) {
            link.setAttribute("aria-current", "step");
            if (link.offsetParent) link.scrollIntoView({ block: "nearest" });
        } else {
            link.removeAttribute("aria-current");
        }
        link.classList.toggle("source", step.inputs.some((input) => name === step.stage.name + "/" + input));
        const stage = link.closest(".stage");
        if (link.parentNode === stage) stage.classList.toggle("on", name === step.stage.name);
    });
    byId("back").disabled = state.at === 0;
    byId("next").disabled = state.at === steps.length - 1;
    byId("place").textContent = `${state.at + 1} / ${steps.length}`;
    byId("said").textContent = say("step", state.at + 1, steps.length) + ": " + step.name;
    showSources(step);
    showVariants(step.stage);
    if (state.cell && !state.held) state.cell = null;
    dressed();
    explain();
    if (focus) step.article.focus({ preventScroll: true });
}

function address(step, place) {
    return "#" + step.id + (place === undefined ? "" : "/" + indexOf(step, place).join(","));
}
function go(at) {
    if (at < 0 || at >= steps.length) return;
    visit(address(steps[at]));
}
function visit(hash) {
    history.pushState(null, "", hash);
    readAddress();
}
function readAddress() {
    const [stage, name, index] = decodeURIComponent(location.hash.slice(1)).split("/");
    const at = steps.findIndex((step) => step.stage.name === stage && (name === undefined || step.name === name));
    if (at < 0) return show(state.at);
    const step = steps[at];
    if (index !== undefined) {
        const place = index.split(",").reduce((sum, i, axis) => sum * step.shown[axis] + Number(i), 0);
        if (place >= 0 && place < step.data.length) {
            state.cell = { step, place };
            state.held = true;
        }
    }
    show(at);
    if (index !== undefined && state.held) {
        const table = step.tables.find((one) => cellAt(step, one, state.cell.place));
        cellAt(step, table, state.cell.place).scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (root.classList.contains("all")) step.article.scrollIntoView();
    else if (window.scrollY > byId("steps").offsetTop) window.scrollTo(0, byId("steps").offsetTop - 70);
}

// --- a cell, its arithmetic and where its numbers come from ---

function mark(step, place, name) {
    for (const table of tablesOf(step)) {
        const cell = cellAt(step, table, place);
        if (!cell) continue;
        cell.classList.add(name);
        state.shown.push([cell, name]);
        if (name !== "at") continue;
        for (const heading of [cell.parentNode.cells[0], table.tHead.rows[0].cells[cell.cellIndex]]) {
            heading.classList.add(name);
            state.shown.push([heading, name]);
        }
        if (state.held) {
            cell.classList.add("held");
            state.shown.push([cell, "held"]);
        }
    }
}
function highlight() {
    for (const [cell, name] of state.shown) cell.classList.remove(name);
    state.shown = [];
    if (!state.cell) return;
    const { step, place } = state.cell;
    mark(step, place, "at");
    const seen = new Set();
    let front = [[step, place]];
    for (let depth = 0; front.length && depth < 12; ++depth) {
        const next = [];
        for (const [from, at] of front) {
            for (const one of (arithmeticOf(from, at) ?? []).flatMap((line) => addressesIn(line.arithmetic))) {
                if (one < 0 || seen.has(one) || seen.size > 20000) continue;
                seen.add(one);
                const found = find(step.stage, one);
                if (!found?.step) continue;
                mark(found.step, found.place, depth === 0 ? "from" : "deep");
                next.push([found.step, found.place]);
            }
        }
        front = next;
    }
}

// Signs and leaves in turn, leaving out the middle of what has many terms; brackets as the program puts them.
const bindings = { " + ": 1, " − ": 1, " · ": 2, " / ": 2, "·": 3 };
function pieces(x, place = 0, first = true) {
    if (!Array.isArray(x)) return [x];
    const [sign, ...parts] = x;
    const binding = bindings[sign];
    if (sign === " + ") return bracketed(listed(parts.map((part) => pieces(part, 1)), sign), binding < place || (!first && place === 1));
    if (binding) {
        const right = sign === " / " ? 3 : binding;
        return bracketed([...pieces(parts[0], binding), sign, ...pieces(parts[1], right, false)], binding < place || (!first && binding === place));
    }
    const inside = listed(parts.map((part) => pieces(part)), sign.startsWith(" ") ? sign : ", ");
    return sign.startsWith(" ") ? ["[", ...inside, "]"] : [sign + "(", ...inside, ")"];
}
const bracketed = (pieces, needed) => (needed ? ["(", ...pieces, ")"] : pieces);
function listed(parts, separator) {
    const most = 12;
    const all = parts.map((part, i) => (i > 0 ? [separator, ...part] : part));
    return (all.length <= most ? all : [...all.slice(0, 4), [` … ${say("more", all.length - 5)} … `], all.at(-1)]).flat();
}
// `0.55·0.43 + 0.45·0.15 = 0.3040`, with a button for each number that a table shows.
function equation(step, line, values, result, first) {
    const box = make("span", undefined, "line");
    if (first && line.part && words["part_" + line.part]) box.append(make("i", words["part_" + line.part] + " "));
    let run = "";
    const flush = () => { if (run) box.append(run); run = ""; };
    for (const piece of pieces(line.arithmetic)) {
        if (typeof piece === "string") { run += piece; continue; }
        const before = run.trimEnd().at(-1);
        const alone = before === undefined || "([,=≤≠".includes(before);
        const text = piece.address === undefined ? ownNumber(piece.value) : "";
        const node = text ? document.createTextNode(text)
            : piece.address < 0 ? make("span", shownNumber(values[-1 - piece.address], "fixed"), "own")
            : operand(step.stage, piece.address);
        flush();
        if (!alone && /^[-−]/.test(node.textContent)) box.append("(", node, ")");
        else box.append(node);
    }
    flush();
    box.append(" = ", result);
    return box;
}
// A number of the code, in full where it is short.
const ownNumber = (x) => (Number.isNaN(x) ? "…" : !Number.isFinite(x) ? (x < 0 ? "−∞" : "∞")
    : (/^-?\d+\.\d{3,}$/.test(x) && Math.abs(x) >= 1e-3 ? format(x, "fixed", state.precision) : String(x)).replace("-", "−"));
const shownNumber = (x, notation) => (Number.isNaN(x) ? "…" : format(state.precision === "full" ? Number(x.toPrecision(9)) : x, notation, state.precision));

function explain() {
    const panel = byId("panel-cell");
    panel.replaceChildren();
    if (!state.cell) {
        panel.append(make("p", words.point, "name"));
        return;
    }
    const { step, place } = state.cell;
    const veiled = isVeiled(step, place);
    const value = veiled ? "?" : format(valuesOf(step)[place], step.notation, state.precision);
    const name = make("p", undefined, "name");
    name.append(make("b", `${step.name}[${indexOf(step, place).join(", ")}]`), " = ", make("strong", value), headings(step, place));
    if (state.held) name.append(" · " + words.held);
    const box = make("div", undefined, "lines");
    const lines = arithmeticOf(step, place);
    if (lines) {
        const values = valuesOfLines(step.stage, lines);
        const most = 7;  // of lines that are alike
        let alike = 0;
        lines.forEach((line, i) => {
            const last = i === lines.length - 1;
            alike = i > 0 && reads(lines[i - 1]) === reads(line) ? alike + 1 : 0;
            if (alike === 0) box.append(make("div", undefined, "alike"));
            if (alike === most) box.lastChild.append("… ");
            if (alike < most || last) {
                const comesTo = make(last ? "em" : "span", last ? value : shownNumber(values[i], "fixed"));
                box.lastChild.append(equation(step, line, values, comesTo, alike === 0), " ");
            }
        });
    } else {
        box.append(words.is_given);
    }
    panel.append(name, box);
    if (veiled) panel.append(asking(step, place));
    const said = state.said?.address === step.address + place ? state.said.text : "";
    if (said && !veiled) panel.append(make("p", said));
}
// The same for lines that differ in what they look up alone.
const reads = (line) => JSON.stringify(line, (key, x) => (key === "address" ? 0 : x));
function headings(step, place) {
    for (const table of step.tables) {
        const cell = cellAt(step, table, place);
        if (cell) {
            const of = (heading) => heading.querySelector("bdi")?.textContent;
            const names = [of(cell.parentNode.cells[0]), of(table.tHead.rows[0].cells[cell.cellIndex])].filter(Boolean);
            return names.length ? ` · ${names.join(" → ")}` : "";
        }
    }
    return "";
}
function operand(stage, at) {
    const found = find(stage, at);
    if (!found) return document.createTextNode("…");
    const text = format(found.value, found.step?.notation ?? "fixed", state.precision);
    const title = `${found.name}[${found.index.join(", ")}]`;
    if (!found.step) {
        const span = make("span", text);
        span.title = title;
        return span;
    }
    const button = make("button", text, colourOf(found.step, found.place));
    button.type = "button";
    button.title = title;
    button.setAttribute("aria-label", `${text}, ${title}`);
    button.addEventListener("click", () => visit(address(found.step, found.place)));
    return button;
}
function asking(step, place) {
    const form = make("p");
    const label = make("label", words.your_prediction + " ");
    const input = make("input");
    input.inputMode = "decimal";
    const button = make("button", words.reveal);
    button.type = "button";
    const reveal = () => {
        const value = valuesOf(step)[place];
        const guess = input.value.trim() === "" ? NaN : Number(input.value);
        state.revealed.add(step.address + place);
        state.said = { address: step.address + place,
            text: Number.isNaN(guess) ? "" : say("off_by", guess, format(Math.abs(guess - value), "fixed", 4)) };
        dressed();
        explain();
    };
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") reveal(); });
    button.addEventListener("click", reveal);
    label.append(input);
    form.append(label, " ", button);
    return form;
}

function point(step, place) {
    if (state.held) return;
    if (state.cell && state.cell.step === step && state.cell.place === place) return;
    state.cell = { step, place };
    highlight();
    explain();
}
function hold(step, place) {
    const same = state.held && state.cell.step === step && state.cell.place === place;
    state.held = !same;
    state.cell = { step, place };
    history.replaceState(null, "", state.held ? address(step, place) : address(current()));
    highlight();
    explain();
}
function letGo() {
    state.held = false;
    history.replaceState(null, "", address(current()));
    highlight();
    explain();
}

// One cell of the step can be reached by Tab, the others from it by arrow keys.
function setTabStop() {
    document.querySelectorAll("td[tabindex]").forEach((cell) => cell.removeAttribute("tabindex"));
    for (const step of root.classList.contains("all") ? steps : [current()]) {
        for (const table of step.tables) {
            table.setAttribute("role", "grid");
            table.setAttribute("aria-label", table.caption.textContent);
        }
        const own = state.cell?.step === step ? state.cell.place : 0;
        for (const table of step.tables) {
            const cell = cellAt(step, table, own);
            if (cell) cell.tabIndex = 0;
        }
    }
}
function moveTo(cell) {
    cell.tabIndex = 0;
    cell.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// --- events ---

const main = byId("steps");
let pointer = "";
main.addEventListener("pointerover", (event) => {
    const where = event.clientX + " " + event.clientY;
    if (where === pointer) return;  // the page moved, not the pointer
    pointer = where;
    const at = event.target.closest("td") && placeAt(event.target.closest("td"));
    if (at) point(at.step, at.place);
});
main.addEventListener("focusin", (event) => {
    const at = event.target.tagName === "TD" && placeAt(event.target);
    if (at) point(at.step, at.place);
});
main.addEventListener("click", (event) => {
    const at = event.target.closest("td") && placeAt(event.target.closest("td"));
    if (at) hold(at.step, at.place);
});
document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "INPUT") return;
    const at = event.target.tagName === "TD" && placeAt(event.target);
    if (event.key === "Escape") {
        if (state.held) letGo();
        else if (at) current().article.focus();
        return;
    }
    if (at) {
        const row = event.target.parentNode;
        const rows = at.table.tBodies[0].rows;
        const column = event.target.cellIndex;
        const to = { ArrowLeft: [row.sectionRowIndex, column - 1], ArrowRight: [row.sectionRowIndex, column + 1],
                     ArrowUp: [row.sectionRowIndex - 1, column], ArrowDown: [row.sectionRowIndex + 1, column],
                     Home: [row.sectionRowIndex, 1], End: [row.sectionRowIndex, at.step.columns] }[event.key];
        if (to) {
            event.preventDefault();
            const cell = rows[to[0]]?.cells[to[1]];
            if (cell && placeAt(cell)) moveTo(cell);
        } else if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            hold(at.step, at.place);
        }
        return;
    }
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const scroller = event.target.closest?.(".tables, pre, .formula");
    if (scroller && scroller.scrollWidth > scroller.clientWidth) return;
    event.preventDefault();
    go(state.at + (event.key === "ArrowRight" ? 1 : -1));
});
window.addEventListener("hashchange", readAddress);
window.addEventListener("popstate", readAddress);
byId("back").addEventListener("click", () => go(state.at - 1));
byId("next").addEventListener("click", () => go(state.at + 1));

for (const [id, change] of [["sums"], ["ticks"], ["predict", () => state.revealed.clear()]]) {
    byId(id).addEventListener("click", (event) => {
        state[id] = !state[id];
        event.currentTarget.setAttribute("aria-pressed", state[id]);
        change?.();
        dressed();
        explain();
    });
}
byId("all").addEventListener("click", (event) => {
    event.currentTarget.setAttribute("aria-pressed", root.classList.toggle("all"));
    dressed();
    current().article.scrollIntoView();
});
byId("more").addEventListener("click", (event) => {
    const open = event.currentTarget.getAttribute("aria-expanded") === "true";
    event.currentTarget.setAttribute("aria-expanded", !open);
});
byId("theme").addEventListener("click", () => {
    const dark = getComputedStyle(root).colorScheme === "dark";
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
});

function choices(box, entries, chosen, choose) {
    box.replaceChildren();
    for (const [value, label] of entries) {
        const button = make("button", label);
        button.type = "button";
        button.setAttribute("aria-pressed", value === chosen());
        button.addEventListener("click", () => {
            choose(value);
            [...box.children].forEach((one, i) => one.setAttribute("aria-pressed", entries[i][0] === chosen()));
            dressed();
            explain();
        });
        box.append(button);
    }
}
choices(byId("precision"), [...new Set([2, 4, page.precision])].sort((a, b) => a - b).map((n) => [n, String(n)]).concat([["full", words.full]]),
    () => state.precision, (value) => { state.precision = value; });
function showVariants(stage) {
    const box = byId("variants");
    const names = stage.variants.map((variant) => variant.id).join();
    if (box.dataset.of === stage.name + names) return;
    box.dataset.of = stage.name + names;
    if (!stage.variants.some((variant) => variant.id === state.variant)) state.variant = "";
    box.hidden = stage.variants.length === 0;
    choices(box, [["", words.as_it_is], ...stage.variants.map((variant) => [variant.id, variant.label])],
        () => state.variant, (value) => { state.variant = value; });
}

function asTensor(step) {
    const values = valuesOf(step);
    const text = (x) => (Number.isNaN(x) ? "torch.nan" : !Number.isFinite(x) ? (x < 0 ? "-torch.inf" : "torch.inf")
        : Number.isInteger(x) && Math.abs(x) < 1e15 ? fixed(x, 1) : String(x));
    let next = 0;
    const nested = (axis) => axis === step.shown.length ? text(values[next++])
        : "[" + Array.from({ length: step.shown[axis] }, () => nested(axis + 1)).join(axis + 1 === step.shown.length ? ", " : ",\n" + " ".repeat(14 + axis)) + "]";
    return `torch.tensor(${nested(0)})`;
}
byId("copy").addEventListener("click", async () => {
    const step = current();
    const text = asTensor(step);
    const told = () => say(product(step.shape) === product(step.shown) ? "copied" : "copied_part", step.name);
    let done = false;
    try {
        await navigator.clipboard.writeText(text);
        done = true;
    } catch {
        const area = make("textarea", text);
        document.body.append(area);
        area.select();
        done = document.execCommand("copy");
        area.remove();
        byId("copy").focus();
    }
    byId("said").textContent = done ? told() : words.not_copied;
    byId("copy").title = byId("said").textContent;
});
window.addEventListener("beforeprint", () => {
    steps.forEach((step) => step.tables.forEach((table) => dress(step, table)));
});

// What sticks below the controls must know how high they are.
new ResizeObserver(([bar]) => {
    const height = getComputedStyle(bar.target).position === "sticky" ? bar.target.offsetHeight : 0;
    root.style.setProperty("--bar", height + "px");
}).observe(document.querySelector(".controls"));
root.classList.add("js");
document.querySelectorAll(".controls, .panel").forEach((element) => { element.hidden = false; });
if (window.matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
readAddress();
})();
