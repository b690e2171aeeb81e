// Reads the data of a page: stages, each walked once or more (a run: unchanged, without the mask, …), the
// tensors of a run, its sections, and the lines of arithmetic of its cells.
import { valueOf } from "./numbers.mjs";

export const count = (sizes) => sizes.reduce((a, b) => a * b, 1);
const masked = 1,
    dropped = 2; // kinds of cells

// Completes the data in place.
export function readPage(data) {
    for (const stage of data.stages) {
        for (const run of stage.runs) {
            run.stage = stage;
            run.tensors = [...run.steps, ...run.lines].map((tensor, number) => {
                const { shown } = tensor;
                const rank = shown.length;
                return {
                    ...tensor,
                    number,
                    run,
                    isStep: number < run.steps.length,
                    values: tensor.cells.map(valueOf),
                    kinds: [...(tensor.kinds ?? "")].map(Number),
                    rows: rank > 1 ? shown[rank - 2] : 1,
                    columns: rank > 0 ? shown[rank - 1] : 1,
                    matrices: rank > 2 ? count(shown.slice(0, -2)) : 1
                };
            });
            run.steps = run.tensors.slice(0, run.steps.length);
            run.byName = new Map(run.tensors.map((tensor) => [tensor.name, tensor]));
            for (const section of run.sections) {
                section.main = run.byName.get(section.main);
                section.steps = section.steps.map((name) => run.byName.get(name));
                // Both roads are drawn if no step of them is left out.
                if (section.roads?.flat().some((name) => !run.byName.has(name))) delete section.figure;
            }
        }
    }
    return data;
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
export const placeAt = (tensor, index) => index.reduce((place, i, axis) => place * tensor.shown[axis] + i, 0);
export const hasCell = (tensor, index) =>
    index?.length === tensor.shown.length &&
    index.every((i, axis) => Number.isInteger(i) && i >= 0 && i < tensor.shown[axis]);
export const cellName = (tensor, place) =>
    tensor.name +
    indexOf(tensor, place)
        .map((i) => `[${i}]`)
        .join("");
export const isMasked = (tensor, place) =>
    tensor.kinds[place] === masked && !(Number.isFinite(tensor.values[place]) && tensor.values[place] !== 0);
export const isDropped = (tensor, place) => tensor.kinds[place] === dropped && tensor.values[place] === 0;
export const isSoftmax = (tensor) => /softmax/.test(tensor.op) && !tensor.gradient_of;

// Returns the lines of a cell: [label, pieces, result, sign, remark], or [sentence].
export const linesOf = (tensor, place) =>
    (tensor.lines?.[place] ?? []).map((number) => tensor.run.arithmetic[number]);
// Returns the places of the cells from which a cell was computed, by tensor.
export function sourcesOf(tensor, place) {
    const found = new Map();
    for (const [, pieces = []] of linesOf(tensor, place))
        for (const piece of pieces)
            if (Array.isArray(piece)) {
                const source = tensor.run.tensors[piece[1]];
                if (!found.has(source)) found.set(source, new Set());
                found.get(source).add(piece[2]);
            }
    return found;
}
// Returns the given number that a cell shows, its own or the one that it copies, or null if it is computed. A
// whole layer is drawn at once, so its numbers cannot be given.
export function givenCell(tensor, place) {
    if (!tensor.inputs.length)
        return count(tensor.shape) === count(tensor.shown) && tensor.op !== "linear"
            ? { tensor, place }
            : null;
    const pieces = linesOf(tensor, place).flatMap(([, some = []]) => some);
    return pieces.length === 1 && Array.isArray(pieces[0])
        ? givenCell(tensor.run.tensors[pieces[0][1]], pieces[0][2])
        : null;
}
export const labelAt = (tensor, axis, i) => tensor.run.axes[tensor.axes.at(axis)]?.labels?.[i];
