// Comparison of long outputs. A failing test shows at most ten lines of them.
import assert from "node:assert/strict";

export function same(ours, theirs, about = "") {
    if (Buffer.from(ours).equals(Buffer.from(theirs))) return;
    const [our, their] = [ours, theirs].map((one) => String(one).split("\n"));
    const first = our.findIndex((line, i) => line !== their[i]);
    const at = first < 0 ? our.length : first;
    const shown = (sign, lines) =>
        lines.slice(at, at + 4).map((line) => `${sign} ${JSON.stringify(line.slice(0, 160))}`);
    assert.fail(
        [
            `${about}: ${our.length} lines instead of ${their.length}; line ${at + 1} differs`,
            ...shown("-", their),
            ...shown("+", our)
        ].join("\n")
    );
}
