// Names on command lines.

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
