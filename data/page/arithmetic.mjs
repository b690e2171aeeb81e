// How cells came about. The cells of a step are of a few patterns; a pattern is lines of arithmetic, the last of which
// gives the cell: a number, [sign, arithmetic, …], or [address, growth, growth, …] for a number that is looked up, whose
// address grows along the axes of the step. An address below 0 is what line -1 - address comes to.
import { numberOf } from "./numbers.mjs";

const signs = {
    " − ": (a, b) => a - b, " · ": (a, b) => a * b, "·": (a, b) => a * b, " / ": (a, b) => a / b,
    " ≤ ": (a, b) => Number(a <= b), " = ": (a, b) => Number(a === b), " ≠ ": (a, b) => Number(a !== b),
    max: Math.max, exp: Math.exp, ln: Math.log, sin: Math.sin, cos: Math.cos, sqrt: Math.sqrt, abs: Math.abs,
};
const most = 3.4028234663852886e38;

export const isLookup = (x) => Array.isArray(x) && typeof x[0] === "number";
export const addressAt = (lookup, index) => lookup.reduce((sum, growth, axis) => sum + growth * index[axis - 1]);
const growthAlong = (lookup, axis) => lookup[axis + 1] ?? 0;

export function patternAt({ patterns, cells }, place) {
    let i = 0;
    for (; place >= cells[i]; i += 2) place -= cells[i];
    return patterns[cells[i + 1]];
}

export function forEachLookup(x, visit) {
    if (isLookup(x)) visit(x);
    else if (Array.isArray(x)) for (let i = 1; i < x.length; ++i) forEachLookup(x[i], visit);
}

// What arithmetic comes to: in double precision with the range of float32, or rounded after each operation, where a sum
// of products is fused as PyTorch's kernels fuse it, first term first.
export function evaluate(x, lookUp, round) {
    if (isLookup(x)) return lookUp(x);
    if (!Array.isArray(x)) return numberOf(x);
    if (x[0] === " + ") {
        let sum = 0;
        for (let i = 1; i < x.length; ++i) {
            const term = x[i];
            const product = term[0] === "·";
            const value = product ? evaluate(term[1], lookUp, round) * evaluate(term[2], lookUp, round) : evaluate(term, lookUp, round);
            sum = i === 1 ? round(value) : round(sum + value);
        }
        return sum;
    }
    const value = round(signs[x[0]](...x.slice(1).map((part) => evaluate(part, lookUp, round))));
    return Math.abs(value) > most ? Math.sign(value) * Infinity : value;
}
export const asDouble = (x) => x;

// What each line of a pattern comes to at an index.
export function lineValues(pattern, index, lookUp, round = asDouble) {
    const values = [];
    const inLine = (lookup) => {
        const address = addressAt(lookup, index);
        return address < 0 ? values[-1 - address] : lookUp(address);
    };
    for (const [, arithmetic] of pattern) values.push(evaluate(arithmetic, inLine, round));
    return values;
}

// Whether all of a pattern is there: a sum of more than 64 terms breaks off in NaN.
export function isWhole(pattern) {
    const whole = (x) => !Array.isArray(x) || isLookup(x) || (x[0] === " + " && x.length > 65 ? x.at(-1) !== "NaN" : x.slice(1).every(whole));
    return pattern.every(([, arithmetic]) => whole(arithmetic));
}

// A step whose cells are rows of one tensor times columns of another: an address in each, and which of the two lies
// transposed there. Null for any other step.
export function asProduct({ arithmetic, shown }) {
    const rank = shown.length;
    if (rank < 2 || arithmetic?.patterns.length !== 1 || arithmetic.patterns[0].length !== 1) return null;
    const [[, sum]] = arithmetic.patterns[0];
    const terms = sum[0] === " + " ? sum.slice(1) : [sum];
    if (!terms.every((term) => term[0] === "·" && isLookup(term[1]) && isLookup(term[2]))) return null;
    const [, left, right] = terms[0];
    if (growthAlong(left, rank - 1) !== 0 || growthAlong(right, rank - 2) !== 0) return null;
    const along = (side) => (terms.length > 1 ? terms[1][side][0] - terms[0][side][0] : 0);
    return { left: left[0], right: right[0], leftTransposed: along(1) > growthAlong(left, rank - 2), rightTransposed: along(2) < growthAlong(right, rank - 1) };
}

// The sign between the operands of a step that is one operation on two of them.
export function signOf({ arithmetic }) {
    const last = arithmetic?.patterns[0].at(-1)[1];
    const shown = { " / ": "÷", " · ": "×", " − ": "−" };
    return Array.isArray(last) && last.length === 3 && isLookup(last[1]) && isLookup(last[2]) ? shown[last[0]] ?? "" : "";
}
