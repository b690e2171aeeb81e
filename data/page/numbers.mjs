// Numbers as text, as PyTorch prints them, and the names of their colours in the stylesheet.

const special = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };
// A number as JSON has it: what is not finite is a string there.
export const numberOf = (x) => (typeof x === "string" ? special[x] : x);

function fixed(x, digits) {
    const scaled = Math.abs(x) * 10 ** digits;
    const tie = scaled - Math.floor(scaled) === 0.5 && Math.floor(scaled) % 2 === 0;  // to even, as PyTorch prints
    const text = tie ? (Math.floor(scaled) / 10 ** digits).toFixed(digits) : Math.abs(x).toFixed(digits);
    return x < 0 || Object.is(x, -0) ? "-" + text : text;
}

// The notation is that of the whole tensor: "whole" (2.), "fixed" (2.5) or "scientific" (2.5e+00).
export function plainText(x, notation, precision) {
    if (Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return x < 0 ? "-inf" : "inf";
    if (precision === "full") return Object.is(x, -0) ? "-0" : String(Math.fround(x) === x ? shortest(x) : x);
    if (notation === "whole" && Number.isInteger(x)) return fixed(x, 0) + ".";
    if (notation === "scientific") return x.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2");
    return fixed(x, precision);
}
// The shortest decimal that reads back to the same float32.
function shortest(x) {
    for (let digits = 1; digits < 9; ++digits) {
        const text = Number(x.toPrecision(digits));
        if (Math.fround(text) === x) return text;
    }
    return Number(x.toPrecision(9));
}

// On screen a minus sign is one; what is copied has the hyphen that programs read.
export const onScreen = (text) => text.replace(/-(?=\d|inf)/g, "−");
export const asTyped = (text) => text.replaceAll("−", "-").replaceAll("∞", "inf").replace(/(?<=[\d)\]]\s?)·(?=\s?[\d(A-Za-z_])/g, "*");
export const numberText = (x, notation, precision) => onScreen(plainText(x, notation, precision));

// What a reader types: 0.17, 0,17, −0.17; NaN for what is no number.
export function typedNumber(text) {
    const plain = asTyped(text.trim()).replace(",", ".");
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

export const number = 0, masked = 1, dropped = 2;  // kinds of cells

// The scale is [whether it diverges, its end].
export function colourOf(x, kind, [diverging, end]) {
    if (kind === masked && !(Number.isFinite(x) && x !== 0)) return "m";
    if (kind === dropped && x === 0) return "x";
    if (!Number.isFinite(x)) return "n";
    if (x === 0) return "z";
    const share = Math.max(-1, Math.min(1, x / end));
    return (diverging ? "b" : "a") + Math.floor((diverging ? (share + 1) / 2 : Math.max(0, share)) * 63 + 0.5);
}
