// The trace: its steps, the tensors between them, and a run of them with something switched off or edited.
import { numberOf, number } from "./numbers.mjs";
import { addressAt, forEachLookup, isWhole, lineValues, patternAt } from "./arithmetic.mjs";

export const count = (sizes) => sizes.reduce((a, b) => a * b, 1);
function unrolled(runs, size) {
    if (!runs) return null;
    const values = new Uint8Array(size);
    for (let i = 0, at = 0; i < runs.length; at += runs[i], i += 2) values.fill(runs[i + 1], at, at + runs[i]);
    return values;
}
const read = (step, of) => ({ ...step, data: step.data?.map(numberOf), kinds: unrolled(step.kinds, of) });

export function readTrace(page) {
    const steps = [];
    for (const stage of page.stages) {
        stage.tensors = [...stage.steps, ...stage.lines].map((tensor, number) => {
            tensor.shown ??= tensor.shape;
            const rank = tensor.shown.length;
            return { ...read(tensor, count(tensor.shown)), stage, number, id: stage.name + "/" + tensor.name, isStep: number < stage.steps.length,
                axes: tensor.axes ?? [], rows: rank > 1 ? tensor.shown[rank - 2] : 1, columns: rank > 0 ? tensor.shown[rank - 1] : 1,
                matrices: rank > 2 ? count(tensor.shown.slice(0, -2)) : 1 };
        });
        stage.steps = stage.tensors.slice(0, stage.steps.length);
        stage.byName = new Map(stage.tensors.map((tensor) => [tensor.name, tensor]));
        stage.byAddress = [...stage.tensors].sort((a, b) => a.address - b.address);
        stage.others = new Map(stage.others.map((other) => [other[0], other]));
        stage.whole = stage.tensors.every((one) => count(one.shape) === count(one.shown) && (one.arithmetic?.patterns ?? []).every(isWhole));
        for (const variant of stage.variants) {
            variant.others = new Map(variant.others.map((other) => [other[0], other]));
            for (const n of Object.keys(variant.steps)) variant.steps[n] = read(variant.steps[n], count(stage.tensors[n].shown));
        }
        steps.push(...stage.steps);
    }
    return { stages: page.stages, steps };
}

// Place of a number among those shown ↔ its index in the whole tensor ↔ its address.
export function indexOf(tensor, place) {
    const index = [];
    for (let axis = tensor.shown.length - 1; axis >= 0; --axis) {
        index[axis] = place % tensor.shown[axis];
        place = Math.floor(place / tensor.shown[axis]);
    }
    return index;
}
export function placeAt(tensor, index) {
    const fits = index.length === tensor.shown.length && index.every((i, axis) => Number.isInteger(i) && i >= 0 && i < tensor.shown[axis]);
    return fits ? index.reduce((place, i, axis) => place * tensor.shown[axis] + i, 0) : -1;
}
export const addressOf = (tensor, place) => tensor.address + indexOf(tensor, place).reduce((offset, i, axis) => offset * tensor.shape[axis] + i, 0);
// { tensor, place } of an address, or null when the page does not show it.
export function cellAt(stage, address) {
    let low = 0, high = stage.byAddress.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (stage.byAddress[middle].address <= address) low = middle;
        else high = middle;
    }
    const tensor = stage.byAddress[low];
    let offset = address - (tensor?.address ?? Infinity);
    if (!(offset >= 0) || offset >= count(tensor.shape)) return null;
    const index = [];
    for (let axis = tensor.shape.length - 1; axis >= 0; --axis) {
        index[axis] = offset % tensor.shape[axis];
        offset = Math.floor(offset / tensor.shape[axis]);
    }
    const place = placeAt(tensor, index);
    return place < 0 ? null : { tensor, place };
}

// A cell that nothing goes into and something is made from can be set.
export const isSource = (tensor) => !tensor.arithmetic?.patterns.some((pattern) => pattern.some(([, x]) => {
    let looks = false;
    forEachLookup(x, () => { looks = true; });
    return looks;
}));
export const isEditable = (tensor) => tensor.stage.whole && isSource(tensor) && tensor.stage.tensors.some((one) => one.inputs.includes(tensor.name));

// One scale of colours for tensors that are looked at together: tensor → [whether it diverges, its end]. A tensor whose
// numbers are of another order than the largest keeps a scale of its own, on which they can be told apart.
export function scalesOf(run, tensors) {
    const own = tensors.map((tensor) => {
        const finite = run.values(tensor).filter(Number.isFinite);
        return { tensor, diverging: tensor.scale[0] || finite.some((x) => x < 0), end: finite.reduce((end, x) => Math.max(end, Math.abs(x)), tensor.scale[1]) };
    });
    const largest = Math.max(...own.map(({ end }) => end));
    const shares = ({ end }) => end * 16 >= largest;
    const diverging = own.some((one) => shares(one) && one.diverging);
    return new Map(own.map((one) => [one.tensor, shares(one) ? [diverging, largest] : [one.diverging, one.end]]));
}

// A stage as it was, with a variant, or with numbers set by the reader: edits, by address. What depends on an edit is
// computed here in float32; all else keeps the program's own numbers.
export class Run {
    constructor(stage, variant = "", edits = new Map()) {
        this.stage = stage;
        this.variant = stage.variants.find((one) => one.id === variant);
        this.edited = new Map();  // tensor → its numbers, where edits change them
        if (edits.size) this.compute(edits);
    }

    words(tensor) { return this.variant?.steps[tensor.number]; }
    before(tensor) { return this.words(tensor)?.data ?? tensor.data; }
    values(tensor) { return this.edited.get(tensor) ?? this.before(tensor); }
    arithmetic(tensor) { return this.words(tensor)?.arithmetic ?? tensor.arithmetic; }
    kind(tensor, place) {
        const changed = this.words(tensor);
        return (changed?.code || changed?.data ? changed.kinds : tensor.kinds)?.[place] ?? number;
    }
    // Whether a number is another one than the program computed for the stage as it is.
    differs(tensor, place) { return !Object.is(this.values(tensor)[place], tensor.data[place]); }
    isChanged(tensor) { return this.edited.has(tensor) || Boolean(this.words(tensor)?.data); }

    lookUp(address) {
        const cell = cellAt(this.stage, address);
        if (cell) return this.values(cell.tensor)[cell.place];
        const other = this.variant?.others.get(address) ?? this.stage.others.get(address);
        return other ? numberOf(other[3]) : NaN;
    }
    pattern(tensor, place) {
        const arithmetic = this.arithmetic(tensor);
        return arithmetic && patternAt(arithmetic, place);
    }
    // Addresses of the numbers that go into a cell.
    sources(tensor, place) {
        const index = indexOf(tensor, place);
        const found = new Set();
        for (const [, x] of this.pattern(tensor, place) ?? []) {
            forEachLookup(x, (lookup) => found.add(addressAt(lookup, index)));
        }
        for (const address of found) if (address < 0) found.delete(address);
        return found;
    }
    // All that a cell came from: tensor → places.
    path(tensor, place) {
        const most = 20000;
        const found = new Map([[tensor, new Set([place])]]);
        const open = [{ tensor, place }];
        for (let i = 0; i < open.length && i < most; ++i) {
            for (const address of this.sources(open[i].tensor, open[i].place)) {
                const cell = cellAt(this.stage, address);
                if (!cell) continue;
                const places = found.get(cell.tensor) ?? new Set();
                if (places.has(cell.place)) continue;
                found.set(cell.tensor, places.add(cell.place));
                open.push(cell);
            }
        }
        return found;
    }

    // Numbers of the steps, by name, as the program itself computed them for these edits.
    take(values) {
        for (const tensor of this.stage.steps) {
            const numbers = values[tensor.name]?.map(numberOf);
            if (numbers?.length !== tensor.data.length) continue;
            const before = this.before(tensor);
            if (numbers.some((x, place) => !Object.is(x, before[place]))) this.edited.set(tensor, numbers);
            else this.edited.delete(tensor);
        }
    }
    compute(edits) {
        const dirty = new Set();
        for (const tensor of this.stage.byAddress) {
            const before = this.before(tensor);
            const values = [...before];
            for (let place = 0; place < values.length; ++place) {
                const address = addressOf(tensor, place);
                if (edits.has(address)) values[place] = Math.fround(edits.get(address));
                else values[place] = this.recomputed(tensor, place, dirty) ?? before[place];
                if (!Object.is(values[place], before[place])) dirty.add(address);
            }
            if (values.some((x, place) => !Object.is(x, before[place]))) this.edited.set(tensor, values);
        }
    }
    recomputed(tensor, place, dirty) {
        const mask = tensor.op === "masked_fill" && !this.words(tensor)?.code && this.stage.byName.get(tensor.inputs[1]);
        if (mask) {
            const index = indexOf(tensor, place);
            const at = placeAt(mask, index.slice(-mask.shown.length));
            const x = this.stage.byName.get(tensor.inputs[0]);
            if (at >= 0 && x && this.edited.has(mask)) return this.values(mask)[at] !== 0 ? -Infinity : this.values(x)[placeAt(x, index)];
        }
        for (const address of this.sources(tensor, place)) {
            if (dirty.has(address)) {
                return lineValues(this.pattern(tensor, place), indexOf(tensor, place), (at) => this.lookUp(at), Math.fround).at(-1);
            }
        }
        return undefined;
    }
}
