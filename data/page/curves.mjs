// A table whose rows are at growing numbers, such as n = 256, 512, …, as curves on logarithmic axes.
import { element } from "./dom.mjs";
import { numberText } from "./numbers.mjs";

// The numbers that a given tensor counts an axis with, as in n = tensor([256., 512., 1024.]).
export function ruler(stage, axis) {
    const given = stage.steps.find((step) => step.shown.length === 1 && step.axes[0] === axis && step.inputs.length === 0);
    return given?.data.every((x, i) => x > (given.data[i - 1] ?? 0)) ? given.data.map(String) : undefined;
}

// The numbers at the heads of the rows (of a vector: of its places), or null where they are none.
export function growing(tensor, labels) {
    const axis = tensor.axes[Math.max(0, tensor.shown.length - 2)];
    const numbers = (labels(axis) ?? []).map(Number);
    const size = tensor.shown.length > 1 ? tensor.rows : tensor.columns;
    const grows = numbers.length === size && size >= 4 && numbers.every((x, i) => x > 0 && (i === 0 || x > numbers[i - 1]));
    return grows && tensor.matrices === 1 && (tensor.shown.length < 2 || tensor.columns <= 4) ? numbers : null;
}

const short = (value) => numberText(Number(value.toPrecision(4)), "fixed", "full");
export function curves(tensor, values, at, names, axisName) {
    const series = tensor.shown.length > 1
        ? Array.from({ length: tensor.columns }, (_, column) => at.map((_, row) => values[row * tensor.columns + column]))
        : [values];
    const all = series.flat().filter(Number.isFinite);
    const logarithmic = all.every((y) => y > 0);
    const up = (y) => (logarithmic ? Math.log(y) : y);
    const [low, high] = [Math.min(...all.map(up)), Math.max(...all.map(up))];
    const [width, height, left, right, bottom] = [480, 210, 14, 150, 36];
    const x = (i) => left + (Math.log(at[i] / at[0]) / Math.log(at.at(-1) / at[0])) * (width - left - right);
    const y = (value) => height - bottom - (high > low ? (up(value) - low) / (high - low) : 0.5) * (height - bottom - 14);
    return element("svg", { class: "curves", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${tensor.name}, ${axisName}` },
        element("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis" }),
        ...at.map((n, i) => element("text", { x: x(i), y: height - 12, "text-anchor": "middle" }, String(n))),
        element("text", { x: (x(0) + x(at.length - 1)) / 2, y: height, "text-anchor": "middle" }, axisName),
        ...series.flatMap((line, k) => [
            element("polyline", { class: "curve c" + k, points: line.map((value, i) => `${x(i)},${y(value)}`).join(" ") }),
            ...line.map((value, i) => element("circle", { class: "c" + k, cx: x(i), cy: y(value), r: 3 })),
            element("text", { x: x(at.length - 1) + 8, y: y(line.at(-1)) + 4 }, `${names[k] ?? ""} ${short(line.at(-1))}`),
            element("text", { x: x(0) + 6, y: y(line[0]) - 6 }, short(line[0]))]));
}
