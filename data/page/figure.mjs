// Shows a tensor as a table of coloured numbers, 16 rows and columns at a time, and as a picture.
import { element } from "./dom.mjs";
import { printed } from "./numbers.mjs";
import { count, indexOf, isDropped, isMasked } from "./trace.mjs";

export const lens = 16; // rows and columns that are shown at once

// Returns the colour scale that all tensors with the same axes and the same kind of sign share. It includes
// the run's variants, so that a switch does not change colours by itself.
export function scaleOf(tensor) {
    if (tensor.end === undefined) {
        const kind = (one) =>
            [
                one.scale[0],
                one.axes.slice(-2),
                Boolean(one.gradient_of),
                one.isStep,
                !one.scale[0] && one.scale[1] > 1
            ].join();
        const alike = tensor.run.stage.runs
            .flatMap((run) => run.tensors)
            .filter((one) => kind(one) === kind(tensor));
        const end = Math.max(...alike.map((one) => one.scale[1])) || 1;
        for (const one of alike) one.end = end;
    }
    return tensor.end;
}
// Returns the class of a cell, and the strength of its colour in percent.
export function shade(tensor, place) {
    const x = tensor.data[place];
    if (isMasked(tensor, place)) return ["m", 0];
    if (isDropped(tensor, place)) return ["x", 0];
    if (!Number.isFinite(x) || x === 0) return ["z", 0];
    return [x < 0 ? "minus" : "plus", Math.round(8 + 92 * Math.min(1, Math.abs(x) / scaleOf(tensor)))];
}

// Returns the heading of a row or column. Heads are counted from 1, as in the steps' names.
export const positionName = (axis, at) => String(axis === "head" ? at + 1 : at);
export class Figures {
    // view: { cell, matrix, row, column (the top left corner of the lens), precision, before (to compare
    // with), words, say }
    constructor(view) {
        this.view = view;
    }

    labels(run, axis) {
        return run.axes[axis]?.labels;
    }
    axisName(run, axis) {
        return run.axes[axis]?.name ?? axis ?? "";
    }
    // Returns the position of a matrix along each axis, such as "head 2".
    positions(tensor, matrix) {
        const index = indexOf(tensor, matrix * tensor.rows * tensor.columns).slice(0, -2);
        return index.map((i, k) =>
            [this.axisName(tensor.run, tensor.axes[k]), positionName(tensor.axes[k], i)].join(" ")
        );
    }

    figure(
        tensor,
        {
            matrix = 0,
            row = 0,
            column = 0,
            transposed = false,
            own = false,
            titled = false,
            name = own ? "result" : "operand",
            from = new Set()
        }
    ) {
        const sizes = transposed ? [tensor.columns, tensor.rows] : [tensor.rows, tensor.columns];
        const begins = (transposed && !own ? [column, row] : [row, column]).map((begin, axis) =>
            Math.max(0, Math.min(begin, sizes[axis] - lens))
        );
        const window = sizes.map((lines, axis) => [
            begins[axis],
            Math.min(lines, begins[axis] + lens),
            lines
        ]);
        const where = tensor.matrices > 1 ? ["", ...this.positions(tensor, matrix)].join(" ") : "";
        return element(
            "figure",
            { class: name },
            !(titled && where.length === 0) &&
                element(
                    "figcaption",
                    {},
                    element("code", {}, tensor.name),
                    transposed && element("sup", {}, "T"),
                    where
                ),
            own && tensor.matrices > 1 && this.matrices(tensor, matrix),
            window.some(([, , lines]) => lines > lens) &&
                this.overview(tensor, matrix, transposed, window, own),
            element(
                "div",
                own
                    ? { class: "scroll" }
                    : { class: "scroll", tabindex: 0, role: "group", "aria-label": tensor.name },
                this.table(tensor, matrix, transposed, window, own, from)
            ),
            count(tensor.shape) !== count(tensor.shown) &&
                element(
                    "p",
                    { class: "part" },
                    this.view.say("part", tensor.shown.join(" × "), tensor.shape.join(" × "))
                )
        );
    }
    table(tensor, matrix, transposed, [[top, bottom], [left, right]], own, from) {
        const rank = tensor.shown.length;
        const axes = rank > 1 ? [tensor.axes[rank - 2], tensor.axes[rank - 1]] : [undefined, tensor.axes[0]];
        if (transposed) axes.reverse();
        const range = (begin, end) => Array.from({ length: end - begin }, (_, i) => begin + i);
        const { cell } = this.view;
        const [cellRow, cellColumn] =
            cell && (own || cell.tensor === tensor)
                ? [indexOf(cell.tensor, cell.place).at(-2) ?? 0, indexOf(cell.tensor, cell.place).at(-1) ?? 0]
                : [];
        const heading = (scope, axis, at, counts, now) => {
            const label = this.labels(tensor.run, axis)?.[at];
            return element(
                "th",
                { scope, class: now && "now" },
                counts && element("i", {}, positionName(axis, at)),
                label !== undefined && [" ", element("bdi", {}, label)]
            );
        };
        return element(
            "table",
            own ? { role: "grid", "aria-label": tensor.name } : {},
            element(
                "thead",
                {},
                element(
                    "tr",
                    {},
                    element("td", {}),
                    range(left, right).map((c) =>
                        heading("col", axes[1], c, rank > 0, own && c === cellColumn)
                    )
                )
            ),
            element(
                "tbody",
                {},
                range(top, bottom).map((r) =>
                    element(
                        "tr",
                        { class: own && r === cellRow && "now" },
                        heading("row", axes[0], r, rank > 1, false),
                        range(left, right).map((c) =>
                            this.cell(
                                tensor,
                                (matrix * tensor.rows + (transposed ? c : r)) * tensor.columns +
                                    (transposed ? r : c),
                                own,
                                from
                            )
                        )
                    )
                )
            )
        );
    }
    cell(tensor, place, own, from) {
        const { cell, held, precision, words } = this.view;
        const [name, share] = shade(tensor, place);
        const x = tensor.data[place];
        const at = own && cell?.place === place;
        const before = own ? this.view.before?.data[place] : undefined;
        const changed =
            before !== undefined && !Object.is(before, x)
                ? Math.round(100 * Math.min(1, Math.abs(x - before) / scaleOf(tensor) || 1))
                : null;
        const what = name === "m" ? words.masked : name === "x" ? words.dropped : "";
        return element(
            "td",
            {
                class: [
                    name,
                    at && "at",
                    at && held && "held",
                    from.has(place) && "from",
                    changed !== null && "changed"
                ]
                    .filter(Boolean)
                    .join(" "),
                role: own && "gridcell",
                tabindex: own && (at ? 0 : -1),
                "data-cell": `${tensor.number}/${place}`,
                "--share": share,
                ...(changed !== null ? { "--change": changed } : {})
            },
            name === "m" ? null : printed(x, tensor.notation, precision),
            what && element("span", { class: "aside" }, " " + what)
        );
    }
    matrices(tensor, matrix) {
        return element(
            "div",
            { class: "matrices", role: "group", "aria-label": this.view.words.matrices },
            Array.from({ length: tensor.matrices }, (_, m) => {
                const label = this.positions(tensor, m).join(", ");
                return element(
                    "button",
                    { type: "button", "aria-pressed": String(m === matrix), "data-matrix": m },
                    picture(tensor, m),
                    " " + label
                );
            })
        );
    }
    // Draws the whole matrix with a frame around the part that the table shows; a click moves the frame.
    overview(tensor, matrix, transposed, [[top, bottom, rows], [left, right, columns]], own) {
        const scale = 128 / Math.max(rows, columns);
        const size = { "--width": columns * scale + "px", "--height": rows * scale + "px" };
        const frame = {
            class: "lens",
            "--left": left * scale + "px",
            "--top": top * scale + "px",
            "--width": (right - left) * scale + "px",
            "--height": (bottom - top) * scale + "px"
        };
        return element(
            "button",
            {
                type: "button",
                class: transposed ? "overview transposed" : "overview",
                ...size,
                "data-overview": own && scale,
                disabled: !own,
                "aria-label": this.view.say("lens", top, bottom - 1, left, right - 1)
            },
            picture(tensor, matrix),
            element("span", frame)
        );
    }
}

// Draws a matrix as a picture with one pixel per number, once it is in the page.
export const picture = (tensor, matrix = 0) =>
    element("canvas", {
        "aria-hidden": "true",
        "data-picture": [tensor.number, matrix].join(),
        width: tensor.columns,
        height: tensor.rows
    });
export function paint(canvas, tensor, matrix) {
    const style = getComputedStyle(document.documentElement);
    const colours = Object.fromEntries(
        ["plus", "minus", "line"].map((name) => [name, style.getPropertyValue("--" + name)])
    );
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < tensor.rows * tensor.columns; ++at) {
        const [name, share] = shade(tensor, matrix * tensor.rows * tensor.columns + at);
        if (name === "m") continue;
        context.globalAlpha = colours[name] ? share / 100 : 0.5;
        context.fillStyle = colours[name] ?? colours.line;
        context.fillRect(at % tensor.columns, Math.floor(at / tensor.columns), 1, 1);
    }
}
