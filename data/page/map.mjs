// The map: the steps of a stage as small heat maps, each to the right of what it is made from.
import { element, paint } from "./dom.mjs";
import { colourOf } from "./numbers.mjs";

// The steps a step is made from, through the tensors between them.
export function madeFrom(stage, tensor, seen = new Set()) {
    const found = new Set();
    for (const name of tensor.inputs) {
        const source = stage.byName.get(name);
        if (!source || seen.has(source)) continue;
        seen.add(source);
        if (source.isStep) found.add(source);
        else madeFrom(stage, source, seen).forEach((one) => found.add(one));
    }
    return found;
}

// { nodes: [{ step, column, row }], edges: [{ from, to, way }], columns, rows }: a step stands right of all it is made from,
// what is given stands just before its first use, and rows follow those of what they are made from. The way back runs below
// it from right to left: a gradient stands under what it is the gradient of. What checks gradients stands below them.
export function layered(stage) {
    const all = new Map(stage.steps.map((step) => [step, { step, column: 0, row: 0 }]));
    const last = stage.steps.findLastIndex((step) => step.gradient_of);
    const inOneGo = stage.steps.findIndex((step) => step.gradient_of) === last + 1 - stage.steps.filter((step) => step.gradient_of).length;
    const isGradient = ({ step }) => Boolean(step.gradient_of);
    const isCheck = ({ step }) => inOneGo && last >= 0 && stage.steps.indexOf(step) > last;
    const part = (node) => (isGradient(node) ? "back" : isCheck(node) ? "check" : "");
    const links = [];
    for (const step of stage.steps) {
        for (const source of madeFrom(stage, step)) {
            const [from, to] = [all.get(source), all.get(step)];
            links.push({ from, to, way: part(from) === part(to) ? part(to) : "across" });
        }
    }
    const of = (name) => [[...all.values()].filter((node) => part(node) === name), links.filter((link) => link.way === name)];
    const forth = placed(...of(""));
    const [back] = of("back");
    back.forEach((node, i) => {
        const tensor = all.get(stage.byName.get(node.step.gradient_of));
        [node.column, node.row] = tensor ? [tensor.column, tensor.row] : [0, forth.rows + i];
    });
    const used = [...new Set(back.map((node) => node.row))].sort((a, b) => a - b);
    for (const node of back) node.row = forth.rows + used.indexOf(node.row);
    const [checks, between] = of("check");
    const below = checks.length ? placed(checks, between) : { columns: 1, rows: 0 };
    for (const node of checks) node.row += forth.rows + used.length;
    return { nodes: [...all.values()], edges: links, columns: Math.max(forth.columns, below.columns), rows: forth.rows + used.length + below.rows };
}

// Gives each node its place, and returns how many columns and rows there are.
function placed(nodes, edges) {
    for (const to of nodes) {
        for (const edge of edges) if (edge.to === to) to.column = Math.max(to.column, edge.from.column + 1);
    }
    for (const node of nodes) {
        const uses = edges.filter((edge) => edge.from === node);
        const isMade = edges.some((edge) => edge.to === node);
        if (!isMade && uses.length) node.column = Math.max(0, Math.min(...uses.map((edge) => edge.to.column)) - 1);
    }
    const columns = Math.max(...nodes.map((node) => node.column)) + 1;
    const filled = (column) => nodes.filter((node) => node.column === column).length;
    for (const node of nodes) {
        if (edges.some((edge) => edge.from === node || edge.to === node)) continue;
        node.column = -1;  // what nothing is made from stands where there is most room
        node.column = Array.from({ length: columns }, (_, column) => column).reduce((best, column) => (filled(column) <= filled(best) ? column : best), 0);
    }
    let rows = 0;
    for (let column = 0; column < columns; ++column) {
        const here = nodes.filter((node) => node.column === column);
        const wish = (node) => {
            const sources = edges.filter((edge) => edge.to === node);
            return sources.length ? sources.reduce((sum, edge) => sum + edge.from.row, 0) / sources.length : Infinity;
        };
        here.map((node) => [wish(node), node]).sort((a, b) => a[0] - b[0]).forEach(([, node], row) => { node.row = row; });
        rows = Math.max(rows, here.length);
    }
    return { columns, rows };
}

const curve = (a, b) => {
    if (a.column === b.column) return `M${a.column + 0.5} ${a.row + 0.5}V${b.row + 0.5}`;
    if (a.column > b.column) return curve(b, a);
    const [x, y, u, v] = [a.column + 0.52, a.row + 0.5, b.column + 0.48, b.row + 0.5];
    const middle = Math.max(0.45, (u - x) / 2);
    return `M${x} ${y}C${x + middle} ${y} ${u - middle} ${v} ${u} ${v}`;
};

export class StageMap {
    constructor(box, stage, { palette, visit }) {
        this.palette = palette;
        const { nodes, edges, columns, rows } = layered(stage);
        this.edges = edges.map((edge) => ({ ...edge, path: element("path", { d: curve(edge.from, edge.to), class: "edge " + edge.way }) }));
        this.nodes = nodes.map((node) => {
            const canvas = element("canvas", { "aria-hidden": "true" });
            const link = element("a", { href: "#" + node.step.id, tabindex: -1,
                click: (event) => { event.preventDefault(); visit(node.step); } }, canvas, element("code", {}, node.step.name));
            link.style.gridColumn = node.column + 1;
            link.style.gridRow = node.row + 1;
            const scale = Math.min(42 / node.step.columns, 24 / node.step.rows, 7);
            canvas.style.width = Math.max(3, node.step.columns * scale) + "px";
            canvas.style.height = Math.max(3, node.step.rows * scale) + "px";
            return { ...node, link, canvas };
        });
        const grid = element("div", { class: "nodes" },
            element("svg", { viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...this.edges.map((edge) => edge.path)),
            ...this.nodes.map((node) => node.link));
        grid.style.setProperty("--columns", columns);
        grid.style.setProperty("--rows", rows);
        box.replaceChildren(grid);
        this.box = box;
    }

    paint(run) {
        for (const node of this.nodes) paint(node.canvas, run, node.step, 0, this.palette, colourOf);
    }

    // The step shown, what a switch or an edit changes, and the path of a cell.
    mark({ run, step, path, changedWord }) {
        const lit = new Set(path ? [...path.keys()] : []);
        for (const node of this.nodes) {
            const changed = run.isChanged(node.step);
            const cut = Boolean(run.words(node.step)?.code);
            node.link.className = [node.step === step && "here", changed && "changed", cut && "cut", path && (lit.has(node.step) ? "lit" : "dim")].filter(Boolean).join(" ");
            node.link.tabIndex = node.step === step ? 0 : -1;
            if (node.step === step) node.link.setAttribute("aria-current", "step");
            else node.link.removeAttribute("aria-current");
            if (changed) node.link.setAttribute("aria-label", `${node.step.name} (${changedWord})`);
            else node.link.removeAttribute("aria-label");
        }
        for (const edge of this.edges) {
            const on = lit.has(edge.from.step) && lit.has(edge.to.step);
            edge.path.setAttribute("class", ["edge", edge.way, on && "lit", run.isChanged(edge.from.step) && run.isChanged(edge.to.step) && "changed"].filter(Boolean).join(" "));
        }
    }

    // Scrolls the map, and it alone, to the step.
    reveal(step) {
        const { link } = this.nodes.find((node) => node.step === step);
        this.box.scrollLeft = link.offsetLeft - this.box.clientWidth / 2 + link.offsetWidth / 2;
        this.box.scrollTop = link.offsetTop - this.box.clientHeight / 2 + link.offsetHeight / 2;
    }
}
