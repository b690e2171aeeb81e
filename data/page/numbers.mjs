// Writes numbers as text. The numbers are the program's; nothing is computed here.

export function decodedBytes(base64) {
    const letters = atob(base64);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
    return bytes;
}
// Decodes float32 numbers, low byte first, as machines with browsers store them.
export const decoded = (base64) => new Float32Array(decodedBytes(base64).buffer);

function fixed(x, digits) {
    const scaled = Math.abs(x) * 10 ** digits;
    const tie = scaled - Math.floor(scaled) === 0.5 && Math.floor(scaled) % 2 === 0; // to even, as PyTorch
    const text = tie ? (Math.floor(scaled) / 10 ** digits).toFixed(digits) : Math.abs(x).toFixed(digits);
    return x < 0 || Object.is(x, -0) ? "-" + text : text;
}
// Returns the shortest decimal that reads back to the same float32, or x itself if x is not a float32.
export function shortest(x) {
    if (Math.fround(x) !== x) return x;
    for (let digits = 1; digits < 9; ++digits) {
        const text = Number(x.toPrecision(digits));
        if (Math.fround(text) === x) return text;
    }
    return Number(x.toPrecision(9));
}
// The screen shows a real minus sign; input may contain either sign.
export const onScreen = (text) => text.replace(/-(?=\d|inf)/g, "−");

const scientific = (x, digits) => x.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
const special = (x) => (Number.isNaN(x) ? "nan" : x < 0 ? "−inf" : "inf");
// Writes a number as print() does. The notation of the whole tensor is "whole" (2.), "fixed" (2.5) or
// "scientific" (2.5e+00).
export function printed(x, notation, precision) {
    if (!Number.isFinite(x)) return special(x);
    if (notation === "whole") return onScreen(fixed(x, 0) + ".");
    if (notation === "scientific") return onScreen(scientific(x, precision));
    return onScreen(fixed(x, precision));
}
// Writes a number in arithmetic with the given decimals, with fewer if the rest are zeros, and with an
// exponent if they would show too little. The program checks arithmetic with the same rules (shown_number).
export function operandText(x, digits) {
    if (!Number.isFinite(x)) return special(x);
    const whole = Object.is(x, -0) ? "-0" : String(Number.isInteger(x) ? x : shortest(x));
    const short = scientific(shortest(x));
    const all = whole.includes("e") || short.length < whole.length ? short : whole;
    const rounded =
        x !== 0 && (Math.abs(x) < 10 ** -digits || Math.abs(x) >= 1e7)
            ? scientific(x, digits)
            : fixed(x, digits);
    const decimals = (all.split("e")[0].split(".")[1] ?? "").length;
    return onScreen(decimals <= digits && all.length <= rounded.length ? all : rounded);
}
// Reads a number that the user types: 0.17, 0,17, −0.17. Returns NaN for anything else.
export function typedNumber(text) {
    const plain = text.trim().replace(/[−–]/g, "-").replace(",", ".");
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}
