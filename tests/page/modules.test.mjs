// Tests the page's modules without a browser.
import assert from "node:assert/strict";
import test from "node:test";
import { fileName, shellWord } from "../../app/web/names.mjs";
import { readAddress, valueIn, withValue, writeAddress } from "../../data/page/address.mjs";
import { onScreen } from "../../data/page/numbers.mjs";

test("the screen shows minus signs and dots, and leaves powers of code alone", () => {
    assert.equal(onScreen("2*(-3.5) - keys.shape[-1]**0.5 + -inf"), "2·(−3.5) − keys.shape[−1]**0.5 + −inf");
});

test("an address is read as it was written, and a value occurs once", () => {
    for (const hash of [
        "#causal",
        "#causal/masked/1,0",
        "#linear/keys?seed=5&set=inputs%5B1%5D%5B0%5D%3D0.5",
        "#masks/mask/"
    ])
        assert.equal(writeAddress(readAddress(hash)), hash);
    const { query } = readAddress("#causal?lang=zh&lang=en&text=a%20%26%20b");
    assert.equal(valueIn(query, "text"), "a & b");
    assert.deepEqual(withValue(query, "lang", "zh"), [
        ["text", "a & b"],
        ["lang", "zh"]
    ]);
    assert.deepEqual(readAddress("#%/%E0?%"), { stage: "", step: "", index: null, query: [["%", ""]] });
});

test("a file keeps the letters of its name, and no two have one name", () => {
    assert.equal(fileName("权重 1.json", []), "权重_1.json");
    assert.equal(fileName("-rf <b>.json", []), "rf__b_.json");
    assert.equal(fileName("a.json", ["a.json", "2-a.json"]), "3-a.json");
    assert.equal(shellWord("inputs[1][0]=0.5"), "'inputs[1][0]=0.5'");
});
