// Reads the data of a page: stages, each walked once or more (a run: unchanged, without the mask, …), the
// tensors of a run, and the arithmetic of their cells.
import { decoded } from "./numbers.mjs";

export const count = (sizes) => sizes.reduce((a, b) => a * b, 1);
function unrolled(runs, size) {
    const values = new Uint8Array(size);
    for (let i = 0, at = 0; i < (runs ?? []).length; at += runs[i], i += 2)
        values.fill(runs[i + 1], at, at + runs[i]);
    return values;
}
export const masked = 1,
    dropped = 2; // kinds of cells

// Reads a page that the program wrote: this document or a different one.
export function readPage(page) {
    const data = JSON.parse(page.getElementById("data").textContent);
    for (const stage of data.stages) {
        for (const run of stage.runs) {
            const id = stage.name + (run.id ? "?off=" + run.id : "");
            const section = page.getElementById(id);
            run.title = section.querySelector("h2").textContent;
            run.intro = section.querySelector(".intro");
            run.setup = section.querySelector(".setup");
            run.stage = stage;
            run.tensors = [...run.steps, ...run.lines].map((tensor, number) =>
                read(tensor, number, run, page.getElementById(`${id}/${tensor.name}`))
            );
            run.steps = run.tensors.slice(0, run.steps.length);
            run.byName = new Map(run.tensors.map((tensor) => [tensor.name, tensor]));
            run.byAddress = [...run.tensors].sort((a, b) => a.address - b.address);
            run.results = decoded(run.results);
        }
    }
    return data;
}
function read(tensor, number, run, article) {
    const shown = tensor.shown ?? tensor.shape;
    const rank = shown.length;
    const { arithmetic } = tensor;
    return {
        ...tensor,
        number,
        run,
        article,
        shown,
        isStep: number < run.steps.length,
        axes: tensor.axes ?? [],
        title: article?.querySelector("h3").firstChild.data.trim() ?? "",
        data: decoded(tensor.data),
        kinds: unrolled(tensor.kinds, count(shown)),
        rows: rank > 1 ? shown[rank - 2] : 1,
        columns: rank > 0 ? shown[rank - 1] : 1,
        matrices: rank > 2 ? count(shown.slice(0, -2)) : 1,
        patterns: arithmetic?.patterns,
        patternOf: arithmetic && unrolled(arithmetic.cells, count(shown)),
        digits: arithmetic?.digits
    };
}

// Convert between a number's place among the shown ones and its index in the tensor.
export function indexOf(tensor, place) {
    const index = [];
    for (let axis = tensor.shown.length - 1; axis >= 0; --axis) {
        index[axis] = place % tensor.shown[axis];
        place = Math.floor(place / tensor.shown[axis]);
    }
    return index;
}
export function placeAt(tensor, index) {
    const fits =
        index.length === tensor.shown.length &&
        index.every((i, axis) => Number.isInteger(i) && i >= 0 && i < tensor.shown[axis]);
    return fits ? index.reduce((place, i, axis) => place * tensor.shown[axis] + i, 0) : -1;
}
export const cellName = (tensor, place) =>
    tensor.name +
    indexOf(tensor, place)
        .map((i) => `[${i}]`)
        .join("");
export const isMasked = (tensor, place) =>
    tensor.kinds[place] === masked && !(Number.isFinite(tensor.data[place]) && tensor.data[place] !== 0);
export const isDropped = (tensor, place) => tensor.kinds[place] === dropped && tensor.data[place] === 0;

// Returns the number at an address: { tensor, place, value }, or { value } for the result of a line. Returns
// null if it is not shown.
export function lookUp(run, address) {
    if (address >= run.first_result) return { value: run.results[address - run.first_result] };
    const tensor = run.byAddress.findLast((one) => one.address <= address);
    let offset = address - (tensor?.address ?? Infinity);
    if (!(offset >= 0) || offset >= count(tensor.shape)) return null;
    const index = [];
    for (let axis = tensor.shape.length - 1; axis >= 0; --axis) {
        index[axis] = offset % tensor.shape[axis];
        offset = Math.floor(offset / tensor.shape[axis]);
    }
    const place = placeAt(tensor, index);
    return place < 0 ? null : { tensor, place, value: tensor.data[place] };
}
export const addressIn = (hole, index) => hole.reduce((sum, growth, axis) => sum + growth * index[axis - 1]);

// Returns the lines of a cell, [part, pieces, result], or none for a given or random number.
export const linesOf = (tensor, place) => tensor.patterns?.[tensor.patternOf[place]] ?? [];
const isLookUp = (hole) => Array.isArray(hole);
// Returns the cells from which a cell was computed. Cells of omitted terms are included: their distances are
// those of the first terms.
export function sourcesOf(tensor, place) {
    const index = indexOf(tensor, place);
    const found = new Set();
    for (const [, pieces] of linesOf(tensor, place)) {
        pieces.forEach((piece, at) => {
            if (!Array.isArray(piece)) {
                const [first, second] = [pieces[at - 2], pieces[at - 1]].map((one) =>
                    one.filter(isLookUp).map((hole) => addressIn(hole, index))
                );
                for (let term = 1; term <= piece; ++term)
                    second.forEach((address, k) => found.add(address + term * (address - first[k])));
            } else piece.filter(isLookUp).forEach((hole) => found.add(addressIn(hole, index)));
        });
    }
    return [...found]
        .filter((address) => address < tensor.run.first_result)
        .map((address) => lookUp(tensor.run, address))
        .filter(Boolean);
}

// If the cells of a step are rows of one tensor times columns of another, returns a cell of each, and which
// of the two is transposed.
export function asProduct(tensor, place) {
    const rank = tensor.shown.length;
    const lines = linesOf(tensor, place);
    if (rank < 2 || lines.length !== 1 || tensor.op === "mul") return null;
    const [first, second] = lines[0][1];
    const sides = [first?.[1], first?.[3]];
    if (
        !sides.every(isLookUp) ||
        first.length !== 5 ||
        (sides[0][rank] ?? 0) !== 0 ||
        (sides[1][rank - 1] ?? 0) !== 0
    )
        return null;
    const [left, right] = sides.map((hole) => lookUp(tensor.run, addressIn(hole, indexOf(tensor, place))));
    if (!(left?.tensor?.shown.length > 1) || !(right?.tensor?.shown.length > 1)) return null;
    const along = (side) => (second ? second[side][0] - first[side][0] : 0);
    return {
        left,
        right,
        leftTransposed: along(1) > (sides[0][rank - 1] ?? 0),
        rightTransposed: along(3) < (sides[1][rank] ?? 0)
    };
}

// Returns the steps from scores through the mask to softmax, if the step is one of them.
export function chainOf(step) {
    for (const weights of step.run.steps.filter((one) => /softmax/.test(one.op))) {
        const chain = [weights];
        const isAlike = (one) =>
            String(one.shape) === String(weights.shape) &&
            (one.axes.length === 0 || String(one.axes) === String(weights.axes));
        for (let before = weights; (before = before.run.byName.get(before.inputs[0])) && isAlike(before);)
            chain.unshift(before);
        if (chain.includes(step)) return chain.slice(-3);
    }
    return [];
}
// Returns all steps from which a step was computed.
export function ancestors(step, found = new Set()) {
    for (const name of step?.inputs ?? []) {
        const source = step.run.byName.get(name);
        if (source && !found.has(source)) ancestors(source, found.add(source));
    }
    return found;
}
