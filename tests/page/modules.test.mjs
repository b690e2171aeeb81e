// The page's modules that need no browser. ATTN_PROGRAM is the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { asProduct, lineValues } from "../../data/page/arithmetic.mjs";
import { fileName, lessonOf } from "../../app/web/lesson.mjs";
import { layered } from "../../data/page/map.mjs";
import { colourOf, masked, numberText, plainText, typedNumber } from "../../data/page/numbers.mjs";
import { linesShown } from "../../data/page/panel.mjs";
import { addressOf, cellAt, indexOf, isEditable, placeAt, readTrace, Run, scalesOf } from "../../data/page/trace.mjs";

function traceOf(...options) {
    const html = execFileSync(process.env.ATTN_PROGRAM, [...options, "--out=-.html"], { encoding: "utf8", maxBuffer: 1 << 28 });
    return readTrace(JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)[1]));
}
const stageOf = (name) => traceOf(name).stages[0];
const causal = stageOf("causal");
const tensor = (name) => causal.byName.get(name);

test("numbers read as PyTorch prints them", () => {
    assert.deepEqual([2, -0.5, 0.00006].map((x) => plainText(x, "fixed", 4)), ["2.0000", "-0.5000", "0.0001"]);
    assert.equal(plainText(2, "whole", 4), "2.");
    assert.equal(plainText(0.125, "fixed", 2), "0.12");  // a tie goes to the even digit
    assert.equal(plainText(Math.fround(0.1), "fixed", "full"), "0.1");
    assert.equal(plainText(-0, "fixed", 2), "-0.00");
    assert.equal(plainText(12345, "scientific", 4), "1.2345e+04");
    assert.equal(numberText(-Infinity, "fixed", 4), "−inf");
});

test("what a reader types is read in any notation, and other text is no number", () => {
    assert.deepEqual(["0.17", "0,17", "−2", ".5", "1e-3"].map(typedNumber), [0.17, 0.17, -2, 0.5, 0.001]);
    for (const text of ["", "a", "1.2.3", "0x10", "1 2", "Infinity"]) assert.ok(Number.isNaN(typedNumber(text)), text);
});

test("a number that is too large is named, and not taken for null", () => {
    assert.deepEqual(lessonOf("a b", "1 2\n3 1e400"), { wrong: ["too_large", 2, "1e400"] });
    assert.deepEqual(lessonOf("a", "1e39"), { text: '{"tokens":["a"],"embeddings":[[1e+39]]}' });
});

test("a file keeps the letters of its name, and no two have one name", () => {
    assert.equal(fileName("输入.json", []), "输入.json");
    assert.equal(fileName("-rf <b>.json", []), "rf__b_.json");
    assert.equal(fileName("a b.json", ["a_b.json", "2-a_b.json"]), "3-a_b.json");
    assert.equal(fileName("__proto__", []), "__proto__");
});

test("a masked cell is hatched only while it holds what a mask makes", () => {
    assert.equal(colourOf(-Infinity, masked, [true, 1]), "m");
    assert.equal(colourOf(0, masked, [false, 1]), "m");
    assert.equal(colourOf(0.5, masked, [false, 1]), "a32");
});

test("places, indices and addresses lead to one another", () => {
    for (const one of causal.tensors) {
        for (let place = 0; place < one.data.length; ++place) {
            assert.equal(placeAt(one, indexOf(one, place)), place);
            assert.deepEqual(cellAt(causal, addressOf(one, place)), { tensor: one, place });
        }
    }
    assert.equal(placeAt(tensor("attn_scores"), [0, 9]), -1);
    assert.equal(placeAt(tensor("attn_scores"), [0]), -1);
    assert.equal(cellAt(causal, 1e6), null);
});

test("in float32 the arithmetic of every cell comes to the cell", () => {
    let cells = 0;
    for (const name of ["simplified", "trainable", "linear", "causal", "multi-head", "numpy", "encoder-decoder", "streaming"]) {
        const stage = stageOf(name);
        const run = new Run(stage);
        for (const one of stage.tensors) {
            one.data.forEach((x, place) => {
                const pattern = run.pattern(one, place);
                if (!pattern) return;
                const value = lineValues(pattern, indexOf(one, place), (address) => run.lookUp(address), Math.fround).at(-1);
                assert.ok(Object.is(value, x) || Math.abs(value - x) <= 1e-5 * Math.max(1, Math.abs(x)), `${name} ${one.name} ${place}: ${value}, ${x}`);
                ++cells;
            });
        }
    }
    assert.ok(cells > 2000, String(cells));
});

test("products are told from other steps, and lie as they are multiplied", () => {
    assert.deepEqual(asProduct(tensor("attn_scores")), { left: tensor("queries").address, right: tensor("keys").address, leftTransposed: false, rightTransposed: true });
    assert.equal(asProduct(tensor("context_vec")).rightTransposed, false);
    assert.equal(asProduct(traceOf("causal", "--backward").stages[0].byName.get("keys_grad")).leftTransposed, true);
    for (const name of ["inputs", "attn_weights", "masked", "row_sums"]) assert.equal(asProduct(tensor(name)), null, name);
});

test("a step stands right of all it is made from, and no two in one place", () => {
    for (const stage of traceOf("all", "--backward").stages) {
        const { nodes, edges } = layered(stage);
        for (const { from, to, way } of edges) assert.ok(way || from.column < to.column, `${stage.name} ${from.step.name} ${to.step.name}`);
        assert.equal(new Set(nodes.map(({ column, row }) => column + " " + row)).size, nodes.length, stage.name);
        assert.equal(nodes.length, stage.steps.length);
    }
});

test("the way back stands below the way there, each gradient under what it is of, and runs to the left", () => {
    const { nodes, edges, rows } = layered(traceOf("causal", "--backward").stages[0]);
    const at = (name) => nodes.find((node) => node.step.name === name);
    const after = (step) => /jacobian|slope/.test(step.name);
    const lowest = Math.max(...nodes.filter(({ step }) => !step.gradient_of && !after(step)).map(({ row }) => row));
    const gradients = nodes.filter(({ step }) => step.gradient_of);
    assert.ok(gradients.length >= 12, String(gradients.length));
    for (const { step, column, row } of gradients) {
        assert.equal(column, at(step.gradient_of).column, step.name);
        assert.ok(row > lowest && row < rows, step.name);
    }
    const deepest = Math.max(...gradients.map(({ row }) => row));
    const checks = nodes.filter(({ step }) => after(step));
    assert.equal(checks.length, 5);
    for (const { step, row } of checks) assert.ok(row > deepest && row < rows, step.name);
    const back = edges.filter(({ way }) => way === "back");
    assert.ok(back.length >= 12, String(back.length));
    for (const { from, to } of back) assert.ok(from.column >= to.column, `${from.step.name} ${to.step.name}`);
    assert.ok(layered(causal).nodes.every(({ step }) => !step.gradient_of));
});

test("an edit changes what depends on it and nothing else", () => {
    const run = new Run(causal, "", new Map([[addressOf(tensor("W_key"), 0), 0.5]]));
    const changed = [...run.edited.keys()].map((one) => one.name);
    assert.ok(changed.includes("keys") && changed.includes("context_vec_dropped"));
    for (const name of ["queries", "values", "mask", "inputs"]) assert.ok(!changed.includes(name), name);
    assert.equal(run.differs(tensor("masked"), 1), false);  // masked as before
    const opened = new Run(causal, "", new Map([[addressOf(tensor("mask"), 1), 0]]));
    assert.equal(opened.values(tensor("masked"))[1], tensor("attn_scores").data[1]);
    assert.ok(isEditable(tensor("inputs")) && isEditable(tensor("mask")) && !isEditable(tensor("keys")) && !isEditable(tensor("dropout_example")));
});

test("with the mask off no cell is masked, and the path of a cell leads to the inputs", () => {
    const run = new Run(causal, "mask");
    const weights = tensor("attn_weights_causal");
    assert.ok(weights.data.every((_, place) => run.kind(weights, place) === 0));
    assert.equal(run.kind(tensor("row_sums"), 0), 0);
    const path = new Run(causal).path(tensor("attn_scores"), 9);
    assert.deepEqual([...path.keys()].map((one) => one.name).sort(), ["W_key", "W_query", "attn_scores", "inputs", "keys", "queries"]);
    assert.equal(path.get(tensor("inputs")).size, 6);
});

test("tensors seen together share a scale of colours, but for one of another order of size", () => {
    const run = new Run(causal);
    const scales = scalesOf(run, [tensor("attn_scores"), tensor("queries"), tensor("attn_weights")]);
    assert.deepEqual([...new Set([...scales.values()].map(String))], ["true," + tensor("queries").scale[1]]);
    assert.deepEqual(scalesOf(run, [tensor("attn_weights")]).get(tensor("attn_weights")), [false, tensor("attn_weights").scale[1]]);
    const edited = new Run(causal, "", new Map([[addressOf(tensor("inputs"), 0), -40]]));
    assert.deepEqual(scalesOf(edited, [tensor("inputs")]).get(tensor("inputs")), [true, 40]);
    const apart = scalesOf(edited, [tensor("inputs"), tensor("W_key")]);
    assert.deepEqual(apart.get(tensor("W_key")), [true, tensor("W_key").scale[1]]);
});

test("of many lines that read alike those the last line takes are shown", () => {
    const pattern = [...Array.from({ length: 12 }, (_, i) => ["exp", ["exp", [i]]]), ["", [" / ", [-10], [-10]]]];
    assert.deepEqual(linesShown(pattern, []).flatMap((shown, i) => (shown ? [i] : [])), [0, 1, 2, 3, 4, 5, 6, 9, 12]);
});

test("every tensor a step is made from is there", () => {
    for (const stage of traceOf("leakage", "streaming").stages) {
        for (const step of stage.steps) {
            const run = new Run(stage);
            for (const address of run.sources(step, 0)) assert.ok(cellAt(stage, address), `${stage.name} ${step.name} ${address}`);
        }
    }
});
