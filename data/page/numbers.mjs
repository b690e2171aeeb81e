// Writes numbers as text. The numbers are the program's; nothing is computed here.

// Decodes float32 numbers from base64, low byte first.
export function decoded(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

function fixed(x, digits) {
    const scaled = Math.abs(x) * 10 ** digits;
    const tie = scaled - Math.floor(scaled) === 0.5 && Math.floor(scaled) % 2 === 0;  // to even, as PyTorch prints
    const text = tie ? (Math.floor(scaled) / 10 ** digits).toFixed(digits) : Math.abs(x).toFixed(digits);
    return x < 0 || Object.is(x, -0) ? "-" + text : text;
}
// Returns the shortest decimal that reads back to the same float32.
export function shortest(x) {
    for (let digits = 1; digits < 9; ++digits) {
        const text = Number(x.toPrecision(digits));
        if (Math.fround(text) === x) return text;
    }
    return Number(x.toPrecision(9));
}
// The screen shows a real minus sign; input may contain either sign.
export const onScreen = (text) => text.replace(/-(?=\d|inf)/g, "−");

const special = (x) => (Number.isNaN(x) ? "nan" : x < 0 ? "−inf" : "inf");
// Writes a number as print() does. The notation of the whole tensor is "whole" (2.), "fixed" (2.5) or
// "scientific" (2.5e+00).
export function printed(x, notation, precision) {
    if (!Number.isFinite(x)) return special(x);
    if (notation === "whole") return onScreen(fixed(x, 0) + ".");
    if (notation === "scientific") return onScreen(x.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2"));
    return onScreen(fixed(x, precision));
}
// Writes a number in arithmetic with the given decimals, with fewer if the rest are zeros, and with an
// exponent if they would show too little.
export function operandText(x, digits) {
    if (!Number.isFinite(x)) return special(x);
    const all = String(shortest(x));
    const decimals = all.includes("e") ? Infinity : (all.split(".")[1] ?? "").length;
    if (decimals <= digits) return onScreen(all);
    return onScreen(Math.abs(x) * 10 ** digits < 1 || Math.abs(x) >= 1e7 ? x.toExponential(digits) : x.toFixed(digits));
}
// Reads a number that the user types: 0.17, 0,17, −0.17. Returns NaN for anything else.
export function typedNumber(text) {
    const plain = text.trim().replace(/[−–]/g, "-").replace(",", ".");
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}
