// The user's own sentence: turns typed words and rows of numbers into the JSON of a lesson.

const wordsOf = (sentence) => sentence.trim().split(/\s+/).filter(Boolean);
const rowsOfText = (embeddings) =>
    embeddings
        .split("\n")
        .map((one) => one.trim())
        .filter(Boolean);
// Reads the numbers of a row. A comma between digits is a decimal comma if the numbers are separated by
// spaces and contain no point.
function numbersOf(row) {
    const plain = row.replace(/[[\];]/g, " ").trim();
    const decimal = /\s/.test(plain) && !/\.|,\s|,\S*,/.test(plain);
    return plain
        .replace(/,/g, decimal ? "." : " ")
        .trim()
        .split(/\s+/)
        .map((one) => one.replace(/^[−–]/, "-"));
}
// Returns true if a word has no vector of its own: its row is missing, or still belongs to a different word
// of the document's sentence.
function lacksRow(word, at, rows, given) {
    return (
        at >= rows.length ||
        (rows[at] === rowsOfText(given.embeddings)[at] && word !== wordsOf(given.tokens)[at])
    );
}
export function wordsWithoutRows(sentence, embeddings, given) {
    const rows = rowsOfText(embeddings);
    return wordsOf(sentence).filter((word, at) => lacksRow(word, at, rows, given));
}

// Returns { text } with the lesson's JSON, or { wrong: [key of a sentence, its values…] }.
export function lessonOf(sentence, embeddings, given) {
    const tokens = wordsOf(sentence);
    const rows = [];
    for (const line of rowsOfText(embeddings)) {
        const numbers = numbersOf(line);
        if (!numbers.every((one) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(one)))
            return { wrong: ["no_numbers", rows.length + 1, line] };
        const tooLarge = numbers.find((one) => !Number.isFinite(Number(one)));
        if (tooLarge) return { wrong: ["too_large", rows.length + 1, tooLarge] };
        rows.push(numbers.map(Number));
    }
    if (!tokens.length) return { wrong: ["no_words"] };
    const missing = wordsWithoutRows(sentence, embeddings, given);
    if (missing.length) return { wrong: ["missing", missing.join(", ")] };
    if (tokens.length !== rows.length) return { wrong: ["rows_words", tokens.length, rows.length] };
    return { text: JSON.stringify({ tokens, embeddings: rows }) };
}

// Completes the rows: a word of the document's sentence gets its own vector. Any other word gets zeros, or
// numbers from 0 to 0.99 that depend only on the word.
export function filledRows(sentence, embeddings, given, random) {
    const rows = rowsOfText(embeddings);
    const known = new Map(wordsOf(given.tokens).map((word, at) => [word, rowsOfText(given.embeddings)[at]]));
    const width = rows.length ? numbersOf(rows[0]).length : 3;
    const number = (word, k) => {
        let hash = 2166136261;
        for (const letter of word + k) hash = Math.imul(hash ^ letter.codePointAt(0), 16777619);
        return (((hash >>> 8) % 100) / 100).toFixed(2);
    };
    return wordsOf(sentence)
        .map((word, at) =>
            !lacksRow(word, at, rows, given)
                ? rows[at]
                : width === 3 && known.has(word)
                  ? known.get(word)
                  : Array.from({ length: width }, (_, k) => (random ? number(word, k) : "0")).join(" ")
        )
        .join("\n");
}

// Returns a file name for the command line: letters of any script, digits and ._- only, different from the
// names in use.
export function fileName(given, taken) {
    const name = given.replace(/[^\p{L}\p{M}\p{N}_.-]/gu, "_").replace(/^[-.]+/, "") || "file";
    let free = name;
    for (let number = 2; taken.includes(free); ++number) free = `${number}-${name}`;
    return free;
}

// Quotes a word for a shell command line.
export const shellWord = (text) =>
    /^[\w.,:=/@%+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
