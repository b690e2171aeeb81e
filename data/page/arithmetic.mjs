// Shows how a number was computed: the program's lines, with the numbers of a cell filled in. For a row of
// weights, it also shows the way from scores through the mask to shares.
import { codeName, element } from "./dom.mjs";
import { lens } from "./figure.mjs";
import { operandText } from "./numbers.mjs";
import { addressIn, cellName, indexOf, isMasked, linesOf, lookUp } from "./trace.mjs";

const typeset = (text) =>
    text
        .replaceAll("*", "·")
        .replaceAll(" - ", " − ")
        .replace(/-(?=\d)/g, "−");

// Returns the lines of a cell as elements.
export function lines(tensor, place, { words, say, precision }) {
    const index = indexOf(tensor, place);
    const all = linesOf(tensor, place);
    const looksUp = all.some(([, pieces]) => pieces.flat().some(Array.isArray));
    if (!looksUp) return [element("p", {}, all.length ? words.is_constant : words.is_given)];
    const digits = tensor.digits.charCodeAt(place) - 48;
    const isTrue = tensor.digits[place] !== "~";
    const decimals = isTrue ? digits : precision + 6;
    const names = new Map(); // of the code's own numbers

    const holed = (hole) => {
        if (!Array.isArray(hole)) {
            const value = Number(hole.value);
            if (hole.name && Number.isFinite(value)) names.set(hole.name, value);
            return [operandText(value, decimals), null];
        }
        const found = lookUp(tensor.run, addressIn(hole, index));
        return [found ? operandText(found.value, decimals) : "…", found];
    };
    // Returns the text and elements of one piece. After a sign, a negative number is in brackets.
    const filled = (piece, first) => {
        const nodes = [];
        let text = "";
        for (const part of piece) {
            if (typeof part === "string") {
                text += typeset(part);
                continue;
            }
            const [shown, found] = holed(part);
            const bracketed =
                shown.startsWith("−") &&
                (text.trim()
                    ? !/[([,=≤≠]\s*$/.test(text)
                    : (!first && !/^ ?$/.test(text)) || nodes.length > 0);
            nodes.push(text + (bracketed ? "(" : ""), operand(shown, found));
            text = bracketed ? ")" : "";
        }
        return [...nodes, text];
    };
    const textOf = (nodes) => nodes.map((node) => node.textContent ?? node).join("");
    // Splits off the comma after a term, or the bracket that closes the function, because a count of equal
    // terms is written before it.
    const term = (nodes) => {
        const text = textOf(nodes);
        const end = text.endsWith(",") ? "," : text.split(")").length > text.split("(").length ? ")" : "";
        const last = nodes.at(-1);
        return {
            nodes: end ? [...nodes.slice(0, -1), last.slice(0, -1)] : nodes,
            end,
            text: text.slice(0, text.length - end.length).replace(/^ (\+ )?/, ""),
            times: 1
        };
    };
    const line = ([part, pieces, result]) => {
        const terms = [];
        pieces.forEach((piece, i) => {
            const next = term(
                Array.isArray(piece) ? filled(piece, i === 0) : [` … ${say("more", piece)} … `]
            );
            const last = terms.at(-1);
            if (last?.text === next.text) Object.assign(last, { end: next.end, times: last.times + 1 });
            else terms.push(next);
        });
        const shown = terms.map(({ nodes, end, times }) => [
            nodes,
            times > 1 && element("small", {}, ` ×${times}`),
            end
        ]);
        const value = result
            ? holedResult(result)
            : element("b", {}, operandText(tensor.data[place], precision));
        return element(
            "p",
            { class: result ? "line" : "line own" },
            part && element("i", {}, (words["part_" + part] ?? part) + ": "),
            shown.flat(2),
            isTrue ? " = " : " ≈ ",
            value
        );
    };
    const holedResult = (hole) =>
        element("b", {}, operandText(lookUp(tensor.run, addressIn(hole, index))?.value ?? NaN, precision));
    const shown = all.map(line);
    return [
        ...[...names].map(([name, value]) =>
            element(
                "p",
                { class: "line" },
                `${name} ${decimals <= 6 ? "=" : "≈"} ${operandText(value, decimals)}`
            )
        ),
        ...shown
    ];
}
// A number from a table is a link to its cell.
function operand(text, found) {
    if (!found?.tensor) return text;
    const name = cellName(found.tensor, found.place);
    if (!found.tensor.isStep) return element("span", { title: name }, text);
    return element(
        "button",
        {
            type: "button",
            "data-go": `${found.tensor.number}/${found.place}`,
            title: name,
            "aria-label": `${text}, ${name}`
        },
        text
    );
}

// Draws bars for a row of scores, for what the mask leaves of them, and for the shares, side by side. All
// bars of scores have one scale. The columns are those that the table shows.
export function bars(chain, cell, { words, labels, precision, first }) {
    const weights = chain.at(-1);
    const { columns } = weights;
    const row = Math.floor(cell.place / cell.tensor.columns);
    const shown = Array.from(
        { length: Math.min(lens, columns) },
        (_, i) => Math.min(first, Math.max(0, columns - lens)) + i
    );
    const places = shown.map((column) => row * columns + column);
    const endOf = (tensors) =>
        Math.max(
            ...tensors
                .flatMap((tensor) => places.map((place) => Math.abs(tensor.data[place])))
                .filter(Number.isFinite),
            1e-30
        );
    const [ofScores, ofWeights] = [endOf(chain.slice(0, -1)), endOf([weights])];
    return element(
        "table",
        { class: shown.length > 8 ? "bars many" : "bars" },
        element("caption", {}, words.bars),
        element(
            "thead",
            {},
            element(
                "tr",
                {},
                element("td", {}),
                chain.map((tensor) => element("th", { scope: "col" }, codeName(tensor.name)))
            )
        ),
        element(
            "tbody",
            {},
            places.map((place, i) =>
                element(
                    "tr",
                    { class: place === cell.place && "now" },
                    element(
                        "th",
                        { scope: "row" },
                        element("bdi", {}, labels?.[shown[i]] ?? String(shown[i]))
                    ),
                    chain.map((tensor) => {
                        const x = tensor.data[place];
                        const hidden = isMasked(tensor, place);
                        return element(
                            "td",
                            {},
                            element(
                                "span",
                                { class: hidden ? "number hidden" : "number" },
                                operandText(x, precision)
                            ),
                            element("span", {
                                class: x < 0 ? "bar minus" : "bar plus",
                                "--share":
                                    hidden || !Number.isFinite(x)
                                        ? 0
                                        : Math.round(
                                              (100 * Math.abs(x)) /
                                                  (tensor === weights ? ofWeights : ofScores)
                                          )
                            })
                        );
                    })
                )
            )
        )
    );
}
