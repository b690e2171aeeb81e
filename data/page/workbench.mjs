// The workbench: what a step is made from, the sign between, and what comes of it. A product is laid out as on paper:
// left operand below left, right operand above right, the result in the corner with rows and columns aligned.
import { element, paint } from "./dom.mjs";
import { colourOf, dropped, masked, numberText } from "./numbers.mjs";
import { asProduct, signOf } from "./arithmetic.mjs";
import { addressOf, cellAt, count, indexOf, scalesOf } from "./trace.mjs";
import { curves, growing, ruler } from "./curves.mjs";

const lens = 16;  // rows and columns that are shown at once

export class Workbench {
    constructor(box, { words, say, palette }) {
        Object.assign(this, { box, words, say, palette });
        this.cells = new Map();   // address → elements
        this.places = new WeakMap();  // element → { tensor, place, own }
        this.marked = [];
    }

    labels(axis) { return this.view.step.stage.axes[axis]?.labels ?? ruler(this.view.step.stage, axis); }
    axisName(axis) { return this.view.step.stage.axes[axis]?.name ?? axis ?? ""; }

    // view: { run, step, matrix, rows, columns (where the lens begins), precision, sums, ticks, veiled(place), anchor }
    draw(view) {
        this.view = view;
        this.cells.clear();
        this.marked = [];
        this.heads = [];
        const { step, run } = view;
        const product = this.productOf(step);
        const operands = step.inputs.map((name) => step.stage.byName.get(name)).filter(Boolean);
        const shown = [...new Set(product ? [step, product.left.tensor, product.right.tensor] : [step, ...operands])];
        this.scales = scalesOf(run, shown);
        const result = this.figure(step, { matrix: view.matrix, rows: view.rows, columns: view.columns, own: true });
        const wide = view.precision === "full" || shown.some((tensor) => tensor.notation === "scientific" || tensor.scale[1] >= 1000);
        this.box.className = ["bench", product && "product", wide && "wide"].filter(Boolean).join(" ");
        if (product) {
            const { left, right, leftTransposed, rightTransposed } = product;
            this.box.replaceChildren(
                element("p", { class: "sign" }, element("var", {}, left.tensor.name), leftTransposed && element("sup", {}, "T"),
                    " × ", element("var", {}, right.tensor.name), rightTransposed && element("sup", {}, "T")),
                this.figure(right.tensor, { matrix: right.matrix, transposed: rightTransposed, columns: view.columns }),
                this.figure(left.tensor, { matrix: left.matrix, transposed: leftTransposed, rows: view.rows }),
                result);
        } else {
            const parts = operands.flatMap((tensor, i) => [i > 0 && this.sign(signOf({ arithmetic: run.arithmetic(step) }) || ","),
                this.figure(tensor, this.beside(tensor))]);
            this.box.replaceChildren(...parts.filter(Boolean), operands.length ? this.sign("→", step.op) : "", result);
        }
    }
    sign(text, name) {
        return element("p", { class: "sign" }, text, name ? element("code", {}, name.replaceAll("_", " ")) : null);
    }
    productOf(step) {
        const product = asProduct({ arithmetic: this.view.run.arithmetic(step), shown: step.shown });
        if (!product) return null;
        const first = step.shown.map((_, axis) => (axis < step.shown.length - 2 ? indexOf(step, this.view.matrix * step.rows * step.columns)[axis] : 0));
        const pattern = this.view.run.pattern(step, 0)[0][1];
        const term = pattern[0] === " + " ? pattern[1] : pattern;
        const [left, right] = [term[1], term[2]].map((lookup) => cellAt(step.stage, lookup.reduce((sum, growth, axis) => sum + growth * first[axis - 1])));
        if (!left || !right || left.tensor.shown.length < 2 || right.tensor.shown.length < 2) return null;
        const whole = ({ tensor, place }) => ({ tensor, matrix: Math.floor(place / (tensor.rows * tensor.columns)) });
        return { ...product, left: whole(left), right: whole(right) };
    }
    // Where an operand that is no factor of a product is looked at: at what the anchor, or the first cell, is made from.
    beside(tensor) {
        const { run, step, anchor, matrix, rows, columns } = this.view;
        const from = anchor ?? matrix * step.rows * step.columns;
        for (const address of run.sources(step, from)) {
            const cell = cellAt(step.stage, address);
            if (cell?.tensor === tensor) {
                const index = indexOf(tensor, cell.place);
                const begin = (size, own, axis, start) => (size === own ? start : Math.max(0, Math.min(size - lens, (index.at(axis) ?? 0) - lens / 2)));
                return { matrix: Math.floor(cell.place / (tensor.rows * tensor.columns)),
                    rows: begin(tensor.rows, step.rows, -2, rows), columns: begin(tensor.columns, step.columns, -1, columns) };
            }
        }
        return { matrix: tensor.matrices === step.matrices ? matrix : 0, rows: tensor.rows === step.rows ? rows : 0, columns: tensor.columns === step.columns ? columns : 0 };
    }

    // `rows` and `columns` say where the lens begins in the table as drawn, in which a transposed tensor's are swapped.
    figure(tensor, { matrix = 0, rows = 0, columns = 0, transposed = false, own = false }) {
        const size = transposed ? [tensor.columns, tensor.rows] : [tensor.rows, tensor.columns];
        const window = size.map((lines, axis) => {
            const begin = lines <= lens ? 0 : Math.max(0, Math.min(lines - lens, axis === 0 ? rows : columns));
            return { begin, end: Math.min(lines, begin + lens), lines };
        });
        const name = tensor.name + (transposed ? "ᵀ" : "");
        const caption = element("figcaption", {}, element("code", {}, tensor.name), transposed ? element("sup", {}, "T") : null, ...this.where(tensor, matrix));
        const at = own && growing(tensor, (axis) => this.labels(axis));
        return element("figure", { class: own ? "result" : "operand" }, caption,
            own && tensor.matrices > 1 ? this.thumbnails(tensor, matrix) : null,
            window.some(({ lines }) => lines > lens) ? this.overview(tensor, matrix, transposed, window, own) : null,
            element("div", { class: "scroll", tabindex: own ? undefined : 0, role: own ? undefined : "group", "aria-label": own ? undefined : name }, this.table(tensor, matrix, transposed, window, own)),
            at ? curves(tensor, this.view.run.values(tensor), at, this.curveNames(tensor), this.axisName(tensor.axes[Math.max(0, tensor.shown.length - 2)])) : null,
            this.bar(tensor),
            count(tensor.shape) === count(tensor.shown) ? null : element("p", { class: "part" }, this.say("part", tensor.shown.join(" × "), tensor.shape.join(" × "))));
    }
    // The labels of the columns, or the names of the tensors that stand in them.
    curveNames(tensor) {
        if (tensor.shown.length < 2) return [];
        return this.labels(tensor.axes.at(-1)) ?? (tensor.inputs.length === tensor.columns ? tensor.inputs : []);
    }
    where(tensor, matrix) {
        const index = indexOf(tensor, matrix * tensor.rows * tensor.columns);
        return tensor.matrices > 1 ? index.slice(0, -2).map((i, axis) => ` ${this.axisName(tensor.axes[axis])} ${i}`) : [];
    }

    table(tensor, matrix, transposed, [down, across], own) {
        const rank = tensor.shown.length;
        const axes = rank > 1 ? [tensor.axes[rank - 2], tensor.axes[rank - 1]] : [undefined, tensor.axes[0]];
        if (transposed) axes.reverse();
        const sums = own && this.view.sums && rank > 0;
        const columnHeads = [];
        for (let c = across.begin; c < across.end; ++c) columnHeads.push(this.heading("col", axes[1], c, rank > 0));
        const corner = element("td", { class: "corner" }, rank > 1 ? `${this.axisName(axes[0])} ↓ ${this.axisName(axes[1])} →` : "");
        const body = element("tbody");
        for (let r = down.begin; r < down.end; ++r) {
            const head = this.heading("row", axes[0], r, rank > 1);
            const cells = [];
            for (let c = across.begin; c < across.end; ++c) {
                const [row, column] = transposed ? [c, r] : [r, c];
                const place = (matrix * tensor.rows + row) * tensor.columns + column;
                const cell = this.cell(tensor, place, own);
                this.places.set(cell, { tensor, place, own, row: r, column: c, heads: [head, columnHeads[c - across.begin]] });
                cells.push(cell);
            }
            body.append(element("tr", {}, head, ...cells, sums && this.sum(tensor, matrix, r)));
        }
        return element("table", own ? { role: "grid", "aria-label": tensor.name } : {},
            element("thead", {}, element("tr", {}, corner, ...columnHeads, sums && element("th", { scope: "col", class: "sum" }, this.words.sum))), body);
    }
    heading(scope, axis, position, counts) {
        const label = this.labels(axis)?.[position];
        return element("th", { scope }, counts ? element("i", {}, String(position)) : "", label !== undefined ? " " : "", label !== undefined ? element("bdi", {}, label) : null);
    }
    cell(tensor, place, own) {
        const { run, step, precision, ticks, veiled } = this.view;
        const x = run.values(tensor)[place];
        const hidden = own && veiled(place);
        const kind = run.kind(tensor, place);
        const changed = run.isChanged(tensor) && run.differs(tensor, place);
        const compared = own && ticks && step.printed_in && !run.isChanged(step) && count(step.shape) === count(step.shown);
        const name = hidden ? "veiled" : [colourOf(x, kind, this.scale(tensor)), changed && "changed", compared && (step.disagreeing.includes(place) ? "off" : "ok")].filter(Boolean).join(" ");
        const what = !hidden && (kind === masked && !(Number.isFinite(x) && x !== 0) ? this.words.masked : kind === dropped && x === 0 ? this.words.dropped : "");
        const cell = element("td", { class: name, role: own ? "gridcell" : undefined, tabindex: own ? -1 : undefined },
            hidden ? "?" : numberText(x, tensor.notation, precision),
            what ? element("span", { class: "aside" }, " " + what) : null,
            changed && !hidden ? element("s", {}, numberText(tensor.data[place], tensor.notation, precision)) : null);
        const address = addressOf(tensor, place);
        this.cells.set(address, [...(this.cells.get(address) ?? []), cell]);
        return cell;
    }
    sum(tensor, matrix, row) {
        const { run, veiled, precision } = this.view;
        const from = (matrix * tensor.rows + row) * tensor.columns;
        const values = run.values(tensor).slice(from, from + tensor.columns);
        const whole = tensor.shape.at(-1) === tensor.columns && !values.some((_, c) => veiled(from + c));
        return element("td", { class: "sum" }, whole ? numberText(Math.fround(values.reduce((a, b) => a + b, 0)), "fixed", precision) : "…");
    }

    scale(tensor) { return this.scales.get(tensor) ?? tensor.scale; }
    // The colours of a scale, from the least to the largest number of the tensors that share it; below the first of them.
    bar(tensor) {
        const scale = this.scale(tensor);
        const sharing = [...this.scales.keys()].filter((one) => String(this.scale(one)) === String(scale));
        if (sharing[0] !== tensor) return element("p", { class: "bar" });  // as high: rows stay aligned
        const finite = sharing.flatMap((one) => this.view.run.values(one).filter(Number.isFinite));
        const [least, largest] = [finite.reduce((a, b) => Math.min(a, b), Infinity), finite.reduce((a, b) => Math.max(a, b), -Infinity)];
        if (!(least < largest)) return element("p", { class: "bar" });
        const steps = 24;
        const pieces = Array.from({ length: steps }, (_, i) => element("i", { class: colourOf(least + (largest - least) * (i / (steps - 1)) || 1e-30, 0, scale) }));
        const notation = sharing.every((one) => one.notation === "whole") ? "whole" : largest >= 1e5 ? "scientific" : "fixed";
        const text = (x) => numberText(x, notation, 2);
        return element("p", { class: "bar" }, text(least), element("span", { "aria-hidden": "true" }, ...pieces), text(largest));
    }

    thumbnails(tensor, matrix) {
        return element("div", { class: "thumbs", role: "group", "aria-label": this.words.matrices },
            ...Array.from({ length: tensor.matrices }, (_, m) => {
                const canvas = element("canvas", { "aria-hidden": "true" });
                paint(canvas, this.view.run, tensor, m, this.palette, colourOf, this.scale(tensor));
                return element("button", { type: "button", "aria-pressed": String(m === matrix), "aria-label": this.where(tensor, m).join(",").trim(),
                    title: this.where(tensor, m).join(",").trim(), click: () => this.view.choose({ matrix: m }) }, canvas);
            }));
    }
    // A picture of the whole matrix with a frame around what the table shows; a click moves the frame.
    overview(tensor, matrix, transposed, [down, across], own) {
        const canvas = element("canvas", {});
        paint(canvas, this.view.run, tensor, matrix, this.palette, colourOf, this.scale(tensor));
        const [height, width] = [down.lines, across.lines];
        const scale = Math.min(3, 128 / Math.max(height, width));
        const frame = element("span", { class: "lens" });
        const box = element("button", { type: "button", class: "overview", "aria-label": this.say("lens", down.begin, down.end - 1, across.begin, across.end - 1) }, canvas, frame);
        for (const [part, size] of [[box, [width, height]], [frame, [across.end - across.begin, down.end - down.begin]]]) {
            part.style.width = size[0] * scale + "px";
            part.style.height = size[1] * scale + "px";
        }
        canvas.style.width = (transposed ? height : width) * scale + "px";
        canvas.style.height = (transposed ? width : height) * scale + "px";
        if (transposed) canvas.style.transform = "matrix(0, 1, 1, 0, 0, 0)";
        frame.style.left = across.begin * scale + "px";
        frame.style.top = down.begin * scale + "px";
        if (!own) {
            box.disabled = true;
            return box;
        }
        const inside = (x, lines) => Math.max(0, Math.min(lines - lens, x));
        box.addEventListener("click", (event) => {
            const { left, top } = box.getBoundingClientRect();
            if (event.detail === 0) return;  // by keyboard: arrow keys move
            this.view.choose({ rows: inside(Math.round((event.clientY - top) / scale - lens / 2), height), columns: inside(Math.round((event.clientX - left) / scale - lens / 2), width) });
        });
        box.addEventListener("keydown", (event) => {
            const move = { ArrowUp: [-8, 0], ArrowDown: [8, 0], ArrowLeft: [0, -8], ArrowRight: [0, 8] }[event.key];
            if (!move) return;
            event.preventDefault();
            event.stopPropagation();
            this.view.choose({ rows: inside(down.begin + move[0], height), columns: inside(across.begin + move[1], width) });
            this.box.querySelector(".result .overview").focus();
        });
        return box;
    }

    // The cell looked at, what it is made from, and what that is made from in turn.
    mark({ cell, held, sources, path }) {
        for (const [one, names] of this.marked) one.classList.remove(...names);
        this.marked = [];
        const put = (one, ...names) => { one.classList.add(...names); this.marked.push([one, names]); };
        if (!cell) return;
        const own = addressOf(cell.tensor, cell.place);
        for (const one of this.cells.get(own) ?? []) {
            put(one, "at", ...(held ? ["held"] : []));
            for (const head of this.places.get(one).heads) put(head, "at");
        }
        for (const address of sources) (this.cells.get(address) ?? []).forEach((one) => put(one, "from"));
        for (const [tensor, places] of path) {
            for (const place of places) {
                const address = addressOf(tensor, place);
                if (address !== own && !sources.has(address)) (this.cells.get(address) ?? []).forEach((one) => put(one, "deep"));
            }
        }
    }
    // One cell of the result can be reached by Tab.
    setTabStop(tensor, place) {
        const [cell] = this.cells.get(addressOf(tensor, place)) ?? [];
        if (this.stop) this.stop.tabIndex = -1;
        this.stop = cell ?? this.box.querySelector("[role=gridcell]");
        if (this.stop) this.stop.tabIndex = 0;
    }
    elementOf(tensor, place) { return this.cells.get(addressOf(tensor, place))?.find((one) => this.places.get(one).own); }
}
