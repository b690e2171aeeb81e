// Elements of the page. Text only ever enters as text nodes.

export const byId = (id) => document.getElementById(id);

// An element with attributes, listeners (functions) and children; a child that is null or false is left out.
export function element(tag, attributes = {}, ...children) {
    const namespace = /^(svg|path|polyline|line|text|circle)$/.test(tag) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
    const made = document.createElementNS(namespace, tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(name, value);
        else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return made;
}

// The colours of the stylesheet by their class, for what is painted.
export function readPalette() {
    const palette = new Map();
    for (const rule of document.styleSheets[0].cssRules) {
        const name = /^\.([ab]\d+)$/.exec(rule.selectorText ?? "")?.[1];
        if (name) palette.set(name, rule.style.backgroundColor);
    }
    return palette;
}

// A matrix of a tensor as a picture, one pixel a number. `mark` holds places to point out.
export function paint(canvas, run, tensor, matrix, palette, colourOf) {
    const style = getComputedStyle(document.documentElement);
    const plain = { z: style.getPropertyValue("--raised"), m: style.getPropertyValue("--line"), x: style.getPropertyValue("--line"), n: style.getPropertyValue("--note") };
    canvas.width = tensor.columns;
    canvas.height = tensor.rows;
    const context = canvas.getContext("2d");
    const values = run.values(tensor);
    for (let row = 0; row < tensor.rows; ++row) {
        for (let column = 0; column < tensor.columns; ++column) {
            const place = (matrix * tensor.rows + row) * tensor.columns + column;
            const name = colourOf(values[place], run.kind(tensor, place), tensor.scale);
            context.fillStyle = palette.get(name) ?? plain[name];
            context.fillRect(column, row, 1, 1);
        }
    }
}
