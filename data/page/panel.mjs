// The panel: how a number came about, in the digits shown, with a button for each number that a table has; and, where a
// number is given, a field to change it.
import { element } from "./dom.mjs";
import { colourOf, dropped, masked, numberText, onScreen, typedNumber } from "./numbers.mjs";
import { addressAt, forEachLookup, isLookup, lineValues } from "./arithmetic.mjs";
import { addressOf, cellAt, indexOf, isEditable } from "./trace.mjs";

const mostAlike = 7;   // of lines that read alike
const mostTerms = 12;  // of a sum

const bindings = { " + ": 1, " − ": 1, " · ": 2, " / ": 2, "·": 3 };
// Signs and leaves in turn, with brackets as the program puts them, leaving out the middle of what has many terms.
function pieces(x, more, place = 0, first = true) {
    if (!Array.isArray(x) || isLookup(x)) return [x];
    const [sign, ...parts] = x;
    const binding = bindings[sign];
    const listed = (texts, separator) => {
        const all = texts.map((text, i) => (i > 0 ? [separator, ...text] : text));
        return (all.length <= mostTerms ? all : [...all.slice(0, 4), [` … ${more(all.length - 5)} … `], all.at(-1)]).flat();
    };
    const bracketed = (texts, needed) => (needed ? ["(", ...texts, ")"] : texts);
    if (sign === " + ") return bracketed(listed(parts.map((part) => pieces(part, more, 1)), sign), binding < place || (!first && place === 1));
    if (binding) {
        const right = sign === " / " ? 3 : binding;
        return bracketed([...pieces(parts[0], more, binding), sign, ...pieces(parts[1], more, right, false)], binding < place || (!first && binding === place));
    }
    const inside = listed(parts.map((part) => pieces(part, more)), sign.startsWith(" ") ? sign : ", ");
    return sign.startsWith(" ") ? ["[", ...inside, "]"] : [sign + "(", ...inside, ")"];
}
// The same for lines that differ in what they look up alone.
const shape = (x) => (isLookup(x) ? (x[0] < 0 ? "line" : "cell") : Array.isArray(x) ? x.map(shape) : x);
const alike = (a, b) => JSON.stringify([a[0], shape(a[1])]) === JSON.stringify([b[0], shape(b[1])]);

// Which lines are shown: all, or of many that read alike the first ones and those that the last line takes.
export function linesShown(pattern, index) {
    const taken = new Set();
    forEachLookup(pattern.at(-1)[1], (lookup) => taken.add(-1 - addressAt(lookup, index)));
    let run = 0;
    return pattern.map((line, i) => {
        run = i > 0 && alike(pattern[i - 1], line) ? run + 1 : 0;
        return run < mostAlike || i === pattern.length - 1 || (taken.size <= 3 && taken.has(i));
    });
}

export class Panel {
    constructor(box, { words, say }) { Object.assign(this, { box, words, say }); }

    // view: { run, cell, held, precision, veiled, said, visit, predict, edit, labels, scale }
    draw(view) {
        this.view = view;
        if (!view.cell) {
            this.box.replaceChildren(element("p", { class: "name" }, this.words.point));
            return;
        }
        const { run, cell: { tensor, place }, held, veiled } = view;
        const x = run.values(tensor)[place];
        const kind = run.kind(tensor, place);
        const text = veiled ? "?" : numberText(x, tensor.notation, view.precision);
        const what = veiled ? "" : kind === masked && !(Number.isFinite(x) && x !== 0) ? this.words.masked : kind === dropped && x === 0 ? this.words.dropped : "";
        const notes = [this.headings(tensor, place), what, held && this.words.held].filter(Boolean).map((one) => " · " + one);
        const children = [element("p", { class: "name" }, element("b", {}, `${tensor.name}[${indexOf(tensor, place).join(", ")}]`), " = ", element("strong", {}, text), ...notes)];
        if (view.masked) children.push(element("p", {}, this.words.hidden));
        children.push(veiled ? this.question(tensor, place) : this.lines(tensor, place, text));
        if (view.said) children.push(element("p", { class: "said" }, view.said));
        if (!veiled && isEditable(tensor)) children.push(this.field(tensor, place, x));
        this.box.replaceChildren(...children);
    }
    headings(tensor, place) {
        const names = indexOf(tensor, place).map((i, axis) => this.view.labels(tensor.axes[axis])?.[i]).filter(Boolean);
        return names.join(" → ");
    }

    lines(tensor, place, text) {
        const { run } = this.view;
        const pattern = run.pattern(tensor, place);
        const box = element("div", { class: "lines" });
        if (!pattern || (pattern.length === 1 && !Array.isArray(pattern[0][1]))) {
            box.append(pattern ? this.words.is_constant : this.words.is_given);
            return box;
        }
        const index = indexOf(tensor, place);
        // A number that another tensor's is: which one, and how that came about.
        const copied = pattern.length === 1 && isLookup(pattern[0][1]) ? cellAt(run.stage, addressAt(pattern[0][1], index)) : null;
        if (copied) {
            const { tensor: source, place: at } = copied;
            box.append(element("span", { class: "copy" }, `${source.name}[${indexOf(source, at).join(", ")}]: `, this.operand(addressOf(source, at))), this.lines(source, at, text));
            return box;
        }
        const values = lineValues(pattern, index, (address) => run.lookUp(address));
        const shown = linesShown(pattern, index);
        let group = null;
        pattern.forEach((line, i) => {
            const first = i === 0 || !alike(pattern[i - 1], line);
            if (first) box.append(group = element("div", { class: "alike" }));
            if (!shown[i]) {
                if (shown[i - 1]) group.append("… ");
                return;
            }
            const last = i === pattern.length - 1;
            group.append(this.equation(line, first, values, index, element(last ? "em" : "span", { class: "own" }, last ? text : this.calculated(values[i]))), " ");
        });
        return box;
    }
    calculated(x) {
        return Number.isNaN(x) ? "…" : numberText(this.view.precision === "full" ? Number(x.toPrecision(9)) : x, "fixed", this.view.precision);
    }
    // A number of the code, in full where it is short.
    constant(x) {
        if (x === "NaN") return "…";
        if (typeof x === "string") return x.startsWith("-") ? "−∞" : "∞";
        return onScreen(/^-?\d+\.\d{3,}$/.test(x) && Math.abs(x) >= 1e-3 ? numberText(x, "fixed", this.view.precision) : String(x));
    }
    // `0.55·0.43 + 0.45·0.15 = 0.3040`
    equation([part, arithmetic], first, values, index, result) {
        const box = element("span", { class: "line" });
        if (first && this.words["part_" + part]) box.append(element("i", {}, this.words["part_" + part] + " "));
        let run = "";
        const flush = () => { if (run) box.append(run); run = ""; };
        for (const piece of pieces(arithmetic, (n) => this.say("more", n))) {
            if (typeof piece === "string" && !/^(NaN|-?Infinity)$/.test(piece)) { run += piece; continue; }
            const before = run.trimEnd().at(-1);
            const alone = before === undefined || "([,=≤≠".includes(before);
            const node = !isLookup(piece) ? element("span", { class: "own" }, this.constant(piece))
                : addressAt(piece, index) < 0 ? element("span", { class: "own" }, this.calculated(values[-1 - addressAt(piece, index)])) : this.operand(addressAt(piece, index));
            const bracketed = !alone && node.textContent.startsWith("−");
            if (bracketed) run += "(";
            flush();
            box.append(node);
            if (bracketed) run += ")";
        }
        flush();
        box.append(" = ", result);
        return box;
    }
    operand(address) {
        const { run, visit, precision } = this.view;
        const found = cellAt(run.stage, address);
        const value = run.lookUp(address);
        const text = Number.isNaN(value) ? "…" : numberText(value, found?.tensor.notation ?? "fixed", precision);
        if (!found?.tensor.isStep) {
            const other = run.stage.others.get(address);
            const name = found ? `${found.tensor.name}[${indexOf(found.tensor, found.place).join(", ")}]` : other ? `${other[1]}[${other[2].join(", ")}]` : undefined;
            return element("span", { class: "own", title: name }, text);
        }
        const { tensor, place } = found;
        const title = `${tensor.name}[${indexOf(tensor, place).join(", ")}]`;
        return element("button", { type: "button", class: colourOf(value, run.kind(tensor, place), this.view.scale(tensor)), title, "aria-label": `${text}, ${title}`,
            click: () => visit(tensor, place) }, text);
    }

    question(tensor, place) {
        const input = element("input", { inputmode: "decimal", autocomplete: "off", keydown: (event) => { if (event.key === "Enter") judge(); } });
        const judge = () => {
            const guess = input.value.trim() === "" ? null : typedNumber(input.value);
            if (Number.isNaN(guess)) answer.textContent = this.say("no_number", input.value);
            else this.view.predict(tensor, place, guess);
        };
        const answer = element("span", { role: "status" });
        return element("p", {}, element("label", {}, this.words.your_prediction + " ", input), " ", element("button", { type: "button", click: judge }, this.words.reveal), " ", answer);
    }
    field(tensor, place, x) {
        const end = Math.max(1, 2 * tensor.scale[1]);
        const set = (value) => this.view.edit(addressOf(tensor, place), value);
        const answer = element("span", { role: "status" });
        const input = element("input", { id: "edit", inputmode: "decimal", autocomplete: "off", value: Number.isFinite(x) ? onScreen(String(Number(x.toPrecision(7)))) : "",
            change: () => {
                const value = typedNumber(input.value);
                if (Number.isNaN(value)) answer.textContent = this.say("no_number", input.value);
                else set(value);
            },
            keydown: (event) => { if (event.key === "Enter") { input.blur(); input.focus(); } } });
        const slider = element("input", { id: "drag", type: "range", min: -end, max: end, step: end / 200, value: x, "aria-label": this.words.change_to, input: () => set(Number(slider.value)) });
        return element("p", { class: "edit" }, element("label", {}, this.words.change_to + " ", input), " ", slider, " ", answer);
    }
}
