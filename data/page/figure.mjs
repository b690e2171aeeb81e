// The parts of a figure: tables of numbers, bars, arcs between words, small multiples, lines of arithmetic. A
// plotting library would replace bars(), 1.1 kB: Chartist 1.5 adds 38 kB to every page, uPlot 1.6 adds 51 kB,
// and neither draws arcs or arrows.
import { codeName, element, svg } from "./dom.mjs";
import { onScreen } from "./numbers.mjs";
import { cellName, count, indexOf, isDropped, isMasked, labelAt, linesOf } from "./trace.mjs";

const lens = 16; // rows and columns that are shown at once

// Returns the class of the colour that a tensor's vectors have everywhere: queries, keys, values, or pairs.
export const hueOf = (name) =>
    /^(W_|b_)?q|^Q/i.test(name)
        ? "q"
        : /^(W_|b_)?k|^K|cache_k/i.test(name)
          ? "k"
          : /^(W_|b_)?v|^V|context|^out/i.test(name)
            ? "v"
            : "pair";

// Returns the colour scale that all tensors with the same axes share. It includes the run's variants, so
// that a switch does not change colours by itself.
function scaleOf(tensor) {
    if (tensor.end === undefined) {
        const kind = (one) =>
            [one.axes.slice(-2), Boolean(one.gradient_of), hueOf(one.name), one.isStep].join();
        const alike = tensor.run.stage.runs
            .flatMap((run) => run.tensors)
            .filter((one) => kind(one) === kind(tensor));
        const end = Math.max(...alike.map((one) => one.largest)) || 1;
        for (const one of alike) one.end = end;
    }
    return tensor.end;
}
// Returns the classes of a cell, and the strength of its colour in percent.
function shade(tensor, place) {
    const x = tensor.values[place];
    if (isMasked(tensor, place)) return ["hid", 0];
    if (isDropped(tensor, place)) return ["drop", 0];
    if (!Number.isFinite(x) || x === 0) return ["", 0];
    return [x < 0 ? "neg" : "", Math.round(4 + 42 * Math.sqrt(Math.min(1, Math.abs(x) / scaleOf(tensor))))];
}
// Heads are counted from 1, as in the steps' names.
const positionName = (axis, at) => String(axis === "head" ? at + 1 : at);
const axisName = (run, axis) => run.axes[axis]?.name ?? axis ?? "";
// Returns the position of a cell, such as "head 1, row “journey”, column “Your”", or that of a matrix.
export const positionOf = (tensor, index, say) =>
    index
        .map((i, k) => {
            const axis = tensor.axes[k];
            const label = tensor.run.axes[axis]?.labels?.[i];
            const at = label === undefined ? positionName(axis, i) : `“${label}”`;
            const fromEnd = tensor.shown.length - k;
            if (fromEnd > 2) return `${axisName(tensor.run, axis)} ${at}`;
            return say(fromEnd === 2 ? "row" : "column", at);
        })
        .join(", ");

const range = (begin, end) => Array.from({ length: end - begin }, (_, i) => begin + i);
const windowAround = (i, size) => {
    const begin = Math.max(0, Math.min(i - lens / 2, size - lens));
    return [begin, Math.min(size, begin + lens)];
};
function cellOf(tensor, at, { isOn, canFocus = false, before, words }) {
    const [kind, share] = shade(tensor, at);
    const text = onScreen(tensor.cells[at]);
    const was = before && before.cells[at] !== tensor.cells[at] ? onScreen(before.cells[at]) : null;
    const what = kind === "hid" ? words.masked : kind === "drop" ? words.dropped : "";
    return element(
        "td",
        {
            class: [kind, isOn && "on", was !== null && "new"],
            role: "gridcell",
            tabindex: canFocus ? 0 : -1,
            "data-cell": `${tensor.number}/${at}`,
            "--t": share,
            title: was !== null ? `${was} → ${text}` : what || null
        },
        kind === "hid" && tensor.values[at] === 0 ? null : text,
        what && element("span.aside", " " + what)
    );
}
// Draws a tensor's matrix around the chosen cell at `place`. own: it is the result of the figure. from: the
// cells that the result uses. before: the same tensor without the edits. column: only the row of the cell.
// canDrag: its numbers can be changed.
export function table(
    tensor,
    place,
    { own = false, from = new Set(), before, words, column = false, canDrag = false, say }
) {
    const index = indexOf(tensor, place);
    const [row, col] = [index.at(-2) ?? 0, index.at(-1) ?? 0];
    const matrix = Math.floor(place / (tensor.rows * tensor.columns));
    const rank = tensor.shown.length;
    const [top, bottom] = column ? [row, row + 1] : windowAround(row, tensor.rows);
    const [left, right] = windowAround(col, tensor.columns);
    const head = (scope, axis, at, isOn) => {
        const label = labelAt(tensor, axis, at);
        const name = tensor.axes.at(axis);
        const isNumbered = rank > (axis === -2 ? 1 : 0);
        return label === undefined && !isNumbered
            ? element("td")
            : element(
                  "th",
                  { scope, class: isOn && "band" },
                  label === undefined ? positionName(name, at) : element("bdi", label)
              );
    };
    const cell = (r, c) => {
        const at = first(r) + c;
        const isOn = own ? at === place : from.has(at);
        return cellOf(tensor, at, { isOn, canFocus: own && at === place, before, words });
    };
    const first = (r) => (matrix * tensor.rows + r) * tensor.columns;
    // All of a row's numbers are used.
    const isUsed = (r) =>
        rank > 1 && tensor.columns > 1 && range(0, tensor.columns).every((c) => from.has(first(r) + c));
    const lines = column
        ? range(left, right).map((c) =>
              element(
                  "tr",
                  { class: from.has(place - col + c) && "band" },
                  head("row", -1, c, false),
                  cell(row, c)
              )
          )
        : range(top, bottom).map((r) =>
              element(
                  "tr",
                  { class: (own ? r === row && rank > 1 : isUsed(r)) && "band" },
                  head("row", -2, r, own ? r === row && rank > 1 : isUsed(r)),
                  range(left, right).map((c) => cell(r, c))
              )
          );
    const heads = column ? [] : range(left, right).map((c) => head("col", -1, c, own && c === col));
    const shape = (column ? [tensor.columns] : tensor.shown.slice(-2)).join(" × ");
    const part = [
        [top, bottom, tensor.rows, -2],
        [left, right, tensor.columns, -1]
    ].filter(([from, to, all]) => !column && to - from < all);
    return element(
        "table",
        {
            class: [
                "m",
                hueOf(tensor.name),
                canDrag && "drag",
                tensor.columns < 3 && "short"
            ],
            role: "grid",
            "aria-label": tensor.name
        },
        element(
            "caption",
            codeName(tensor.name),
            " ",
            element("span", column ? say("row_as_column", labelAt(tensor, -2, row) ?? row) : shape),
            part.map(([from, to, all, axis]) =>
                element("small", say("part", axisName(tensor.run, tensor.axes.at(axis)), from, to - 1, all))
            ),
            !column &&
                count(tensor.shape) !== count(tensor.shown) &&
                element("small", say("shown", tensor.shown.join(" × "), tensor.shape.join(" × ")))
        ),
        !column && element("thead", element("tr", element("td"), heads)),
        element("tbody", lines)
    );
}

// The way of one row through several steps, one line each.
export function road(tensors, place, { title, words }) {
    const { columns } = tensors[0];
    const first = place - (place % columns);
    const line = (tensor) => [
        element("th", { scope: "row" }, codeName(tensor.name)),
        range(...windowAround(place - first, columns)).map((c) =>
            cellOf(tensor, first + c, { isOn: first + c === place, words })
        )
    ];
    return element(
        "table.m.road",
        { role: "grid", "aria-label": title },
        element("caption", title),
        element(
            "tbody",
            tensors.map((tensor) => element("tr", line(tensor).flat()))
        )
    );
}

// A word of the sentence in quotation marks, or its position.
function named(tensor, n, say) {
    const label = labelAt(tensor, -1, n);
    return label === undefined ? say("position", n) : `“${label}”`;
}

// The share of a row's attention that would go to later words without the mask: `sums` are the shares of the
// others.
export function leak(weights, sums, place, { say, words }) {
    const row = Math.floor(place / weights.columns);
    const name = (n) => named(weights, n, say);
    const seen = onScreen(sums.cells[row]);
    const isLast = row + 1 === weights.columns;
    const next = isLast ? "" : onScreen(weights.cells[row * weights.columns + row + 1]);
    return element(
        "div.leak",
        element("h3", words.leak_title),
        element(
            "div.split",
            { "aria-hidden": "true", "--share": 100 * sums.values[row] },
            element("span", `${words.leak_seen} ${seen}`),
            element("span", isLast ? "" : words.leak_later)
        ),
        element("p", say(isLast ? "leak_none" : "leak", name(row), name(row + 1), next, seen)),
        element("p.note", words.leak_test)
    );
}

// Bars for a row of weights. A dotted line shows the weight of the counterpart.
export function bars(tensor, place, { other, say, words }) {
    const { columns } = tensor;
    const row = Math.floor(place / columns);
    const shown = range(...windowAround(place % columns, columns));
    const end = Math.max(
        ...shown.flatMap((c) => [tensor, other].map((one) => one?.values[row * columns + c] || 0)),
        1e-9
    );
    const label = labelAt(tensor, -2, indexOf(tensor, place).at(-2)) ?? row;
    return element(
        "div",
        { role: "img", "aria-label": say("bars", label) },
        shown.map((c) => {
            const at = row * columns + c;
            const x = tensor.values[at] || 0;
            return element(
                "div",
                { class: at === place ? "bar band" : "bar" },
                element("span", element("bdi", labelAt(tensor, -1, c) ?? String(c))),
                element(
                    "span.track",
                    element("span.fill", { "--share": (100 * x) / end }),
                    other && element("span.ghost", { "--share": (100 * (other.values[at] || 0)) / end })
                ),
                element("span", isMasked(tensor, at) ? words.masked : onScreen(tensor.cells[at]))
            );
        })
    );
}

// The words of the sentence, and arcs from the chosen one to those at which it looks, as wide as the weights.
export function arcs(tensor, place, { say }) {
    const { columns } = tensor;
    const all = range(0, Math.min(columns, lens));
    const [row, column] = [indexOf(tensor, place).at(-2), place % columns];
    const width = 100 * all.length;
    const first = place - column;
    const top = (n) => (n === row ? 80 : 110 - (145 * Math.abs(n - row)) / Math.max(1, all.length - 1));
    const arc = (n) => {
        const [from, to] = [50 + 100 * row, 50 + 100 * n];
        const d =
            n === row
                ? `M${from - 12} 186C${from - 62} ${top(n)} ${from + 62} ${top(n)} ${from + 12} 186`
                : `M${from} 186C${from} ${top(n)} ${to} ${top(n)} ${to} 186`;
        const kind = [n > row && "later", n === column && "on"].filter(Boolean).join(" ");
        return svg("path", { d, class: kind, "stroke-width": 2 + 24 * tensor.values[first + n] });
    };
    const seen = all.filter((n) => tensor.values[first + n] > 0);
    const hidden = all.filter((n) => isMasked(tensor, first + n));
    const isCausal = hidden.length > 0 && hidden.every((n) => n > row);
    const name = (n) => named(tensor, n, say);
    const listed = (some) => some.map(name).join(", ");
    return element(
        "div.words",
        svg("svg", { viewBox: `0 10 ${width} 180`, "aria-hidden": "true" }, seen.map(arc)),
        element(
            "div.chips",
            { "--n": all.length },
            all.map((n) =>
                element(
                    "button",
                    {
                        class: [n === row && "on", hidden.includes(n) && "hid"],
                        "aria-pressed": String(n === row),
                        "data-cell": `${tensor.number}/${first + (n - row) * columns + Math.min(n, column)}`
                    },
                    element("bdi", labelAt(tensor, -1, n) ?? name(n))
                )
            ),
            all.map((n) => element("span", hidden.includes(n) ? "–" : onScreen(tensor.cells[first + n])))
        ),
        element(
            "p.say",
            say(hidden.length ? "looks_masked" : "looks", name(row), listed(seen), listed(hidden)),
            isCausal && " " + say("looks_why", name(row), name(row + 1))
        )
    );
}

// All matrices of a tensor as small pictures; the chosen one is pressed.
export const multiples = (tensor, place, { words, say }) =>
    tensor.matrices > 1 &&
    element(
        "div.multiples",
        { role: "group", "aria-label": words.matrices },
        range(0, tensor.matrices).map((matrix) => {
            const size = tensor.rows * tensor.columns;
            const label = positionOf(tensor, indexOf(tensor, matrix * size).slice(0, -2), say);
            return element(
                "button",
                {
                    "aria-pressed": String(matrix === Math.floor(place / size)),
                    "data-cell": `${tensor.number}/${matrix * size + (place % size)}`
                },
                picture(tensor, matrix),
                label
            );
        })
    );

// A matrix as a picture with one pixel per number; paint() draws it once it is in the page.
export const picture = (tensor, matrix = 0) =>
    element("canvas", {
        class: hueOf(tensor.name),
        "aria-hidden": "true",
        "data-picture": [tensor.number, matrix].join(),
        width: tensor.columns,
        height: tensor.rows
    });
export function paint(canvas, tensor, matrix) {
    if (canvas.tensor === tensor && canvas.matrix === matrix) return;
    Object.assign(canvas, { tensor, matrix });
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = getComputedStyle(canvas).color;
    for (let at = 0; at < tensor.rows * tensor.columns; ++at) {
        context.globalAlpha = Math.min(
            1,
            (2 * shade(tensor, matrix * tensor.rows * tensor.columns + at)[1]) / 100
        );
        context.fillRect(at % tensor.columns, Math.floor(at / tensor.columns), 1, 1);
    }
}

// Shows how a number was computed: the program's lines. A number from a table is a link to its cell.
export function lines(tensor, place, { words, say }) {
    const all = linesOf(tensor, place);
    if (!tensor.lines)
        return [element("p", say("not_explained", `${tensor.run.stage.name} '${cellName(tensor, place)}'`))];
    return all.map((line) => {
        if (line.length === 1) return element("p.reason", line[0]);
        const [label, pieces, result, sign, remark] = line;
        const text = pieces.map((piece) => (Array.isArray(piece) ? piece[0] : piece)).join("");
        return element(
            "p.line",
            label && element("span.side", onScreen(label), " = "),
            pieces.map((piece) => (Array.isArray(piece) ? number(tensor.run, piece) : onScreen(piece))),
            text !== result && [` ${sign} `, element("b", onScreen(result))],
            remark && element("small", ` (${remark})`)
        );
    });
}
function number(run, [text, at, place]) {
    const source = run.tensors[at];
    const name = cellName(source, place);
    const attributes = { class: "n " + hueOf(source.name), title: name };
    return source.isStep
        ? element(
              "button",
              {
                  ...attributes,
                  "data-go": `${at}/${place}`,
                  "aria-label": `${onScreen(text)}, ${name}`
              },
              onScreen(text)
          )
        : element("span", attributes, onScreen(text));
}
