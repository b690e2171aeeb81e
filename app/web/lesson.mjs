// A reader's own sentence: words and rows of numbers as typed, and the lesson that they are as JSON.

// Returns { text } of the lesson's JSON, or { wrong: [key of a sentence, its values…] }.
export function lessonOf(sentence, embeddings) {
    const tokens = sentence.trim().split(/\s+/).filter(Boolean);
    const rows = [];
    for (const line of embeddings.split("\n").filter((one) => one.trim())) {
        const numbers = line.replace(/[[\],;]/g, " ").trim().split(/\s+/).map((one) => one.replace(/^[−–]/, "-"));
        if (!numbers.every((one) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(one))) return { wrong: ["no_numbers", rows.length + 1, line.trim()] };
        const tooLarge = numbers.find((one) => !Number.isFinite(Number(one)));
        if (tooLarge) return { wrong: ["too_large", rows.length + 1, tooLarge] };
        rows.push(numbers.map(Number));
    }
    if (!tokens.length) return { wrong: ["no_words"] };
    if (tokens.length !== rows.length) return { wrong: ["rows_words", tokens.length, rows.length] };
    return { text: JSON.stringify({ tokens, embeddings: rows }) };
}

// Rows for the words that have none: numbers from 0 to 0.99 that depend on the word alone, each word's own.
export function filledRows(sentence, embeddings) {
    const rows = embeddings.split("\n").filter((one) => one.trim());
    const width = rows.length ? rows[0].replace(/[[\],;]/g, " ").trim().split(/\s+/).length : 3;
    for (const word of sentence.trim().split(/\s+/).filter(Boolean).slice(rows.length)) {
        let hash = 2166136261;
        const numbers = Array.from({ length: width }, (_, k) => {
            for (const letter of word + k) hash = Math.imul(hash ^ letter.codePointAt(0), 16777619);
            return ((hash >>> 8) % 100 / 100).toFixed(2);
        });
        rows.push(numbers.join(" "));
    }
    return rows.join("\n");
}

// The name of a file on the command line: letters of any script, digits and ._-, and none of the names taken.
export function fileName(given, taken) {
    const name = given.replace(/[^\p{L}\p{M}\p{N}_.-]/gu, "_").replace(/^[-.]+/, "") || "file";
    let free = name;
    for (let number = 2; taken.includes(free); ++number) free = `${number}-${name}`;
    return free;
}

// A command line's word as a shell takes it.
export const shellWord = (text) => (/^[\w.,:=/@%+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");
