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

// Puts the tables that are there for browsers without a script where they stand. Until they are asked for they are no
// elements, of which long pages would have a hundred thousand.
export function unfoldTables() {
    for (const one of document.querySelectorAll(".step noscript")) {
        const template = element("template");
        template.innerHTML = one.textContent;  // markup that the program wrote, read as it is without a script
        one.replaceWith(template.content);
    }
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
export function paint(canvas, run, tensor, matrix, palette, colourOf, scale = tensor.scale) {
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const plain = { z: colour("--raised"), m: colour("--line"), x: colour("--line"), n: colour("--note") };
    canvas.width = tensor.columns;
    canvas.height = tensor.rows;
    const context = canvas.getContext("2d");
    const values = run.values(tensor);
    for (let row = 0; row < tensor.rows; ++row) {
        for (let column = 0; column < tensor.columns; ++column) {
            const place = (matrix * tensor.rows + row) * tensor.columns + column;
            const name = colourOf(values[place], run.kind(tensor, place), scale);
            context.fillStyle = palette.get(name) ?? plain[name];
            context.fillRect(column, row, 1, 1);
        }
    }
}
