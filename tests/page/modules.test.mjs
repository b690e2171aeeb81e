// Tests the page's modules without a browser.
import assert from "node:assert/strict";
import test from "node:test";
import { fileName, filledRows, lessonOf, wordsWithoutRows } from "../../app/web/lesson.mjs";
import { operandText, printed, typedNumber } from "../../data/page/numbers.mjs";

test("numbers read as PyTorch prints them", () => {
    assert.deepEqual(
        [0.5, 1234.5678, -0.00004, 2.5].map((x) => printed(x, "fixed", 4)),
        ["0.5000", "1234.5678", "−0.0000", "2.5000"]
    );
    assert.deepEqual(
        [0.125, 0.375].map((x) => printed(x, "fixed", 2)),
        ["0.12", "0.38"]
    );
    assert.deepEqual(
        [printed(3, "whole", 4), printed(-Infinity, "fixed", 4), printed(NaN, "fixed", 4)],
        ["3.", "−inf", "nan"]
    );
    assert.equal(printed(12345, "scientific", 4), "1.2345e+04");
});

test("an operand has as many decimals as are asked for, and fewer where that is all of it", () => {
    assert.deepEqual(
        [0.5, 2, Math.fround(0.1), Math.fround(1.4142135)].map((x) => operandText(x, 4)),
        ["0.5", "2", "0.1", "1.4142"]
    );
    assert.deepEqual(
        [3.4571e-9, 1e-4, 134365184, 16777216123].map((x) => operandText(Math.fround(x), 4)),
        ["3.4571e−09", "1e−04", "134365184", "1.6777e+10"]
    );
    assert.deepEqual(
        [0.03125, 0.09375, -0.0].map((x) => operandText(x, 4)),
        ["0.0312", "0.0938", "−0"]
    ); // ties to even, as PyTorch rounds
});

test("what a reader types is read in any notation, and other text is no number", () => {
    assert.deepEqual(
        ["0.17", "0,17", "−0.17", " 1e-3 ", ".5"].map(typedNumber),
        [0.17, 0.17, -0.17, 1e-3, 0.5]
    );
    for (const text of ["", "x", "1 2", "0x10", "Infinity"]) assert.ok(Number.isNaN(typedNumber(text)), text);
});

const given = { tokens: "Your journey", embeddings: "0.43 0.15 0.89\n0.55 0.87 0.66" };
test("rows are read with decimal points or commas, and a number that is too large is named", () => {
    const read = (rows) => JSON.parse(lessonOf("a b", rows, given).text).embeddings;
    assert.deepEqual(read("0,5 1,25\n2 3"), [
        [0.5, 1.25],
        [2, 3]
    ]);
    assert.deepEqual(read("[0.5, 1.25],\n[2, 3]"), [
        [0.5, 1.25],
        [2, 3]
    ]);
    assert.deepEqual(read("1,2,3\n4,5,6"), [
        [1, 2, 3],
        [4, 5, 6]
    ]);
    assert.deepEqual(lessonOf("a b", "1\n1e999", given).wrong, ["too_large", 2, "1e999"]);
});

test("a word never gets the vector of another word", () => {
    assert.deepEqual(wordsWithoutRows("Your dog barks", given.embeddings, given), ["dog", "barks"]);
    assert.deepEqual(lessonOf("Your dog", given.embeddings, given).wrong, ["missing", "dog"]);
    assert.equal(filledRows("dog journey", given.embeddings, given, false), "0 0 0\n0.55 0.87 0.66");
    assert.match(filledRows("dog", given.embeddings, given, true), /^0\.\d\d 0\.\d\d 0\.\d\d$/);
});

test("a file keeps the letters of its name, and no two have one name", () => {
    assert.equal(fileName("权重 1.json", []), "权重_1.json");
    assert.equal(fileName("-rf <b>.json", []), "rf__b_.json");
    assert.equal(fileName("a.json", ["a.json", "2-a.json"]), "3-a.json");
});
