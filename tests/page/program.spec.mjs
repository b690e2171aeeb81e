// Tests the program in the browser as a reader uses it, and compares it with the native program.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { assertFits, cells, inFolder, program, test, violations, written } from "./support.mjs";

const file = process.env.ATTN_PAGE;
const environment = { ...process.env, LC_ALL: "C" };

function native(args, input = "") {
    const { status, stdout, stderr } = spawnSync(program, args, {
        encoding: "utf8",
        input,
        env: environment,
        maxBuffer: 1 << 28
    });
    return { code: status, stdout, stderr };
}
const inStage = (page, stage) =>
    page.waitForFunction(
        (name) => location.hash.startsWith(`#${name}/`) && document.querySelector(".result td"),
        stage,
        { timeout: 120000 }
    );
const command = (page) => page.textContent("#command");
async function view(page, name) {
    await page.click("#tab-" + name);
}
const settled = (page, name) =>
    page.waitForFunction(
        (id) =>
            document.querySelector(`#panel-${id} pre.output`).textContent &&
            !document.getElementById("panel-" + id).hasAttribute("aria-busy"),
        name
    );
const output = (page, name) => page.locator(`#panel-${name} pre.output`).textContent();
async function typed(page, id, text) {
    await page.fill("#" + id, text);
    await page.waitForTimeout(250);
}
async function openedOptions(page) {
    for (const one of ["#own", "#more-options"])
        if ((await page.locator(one + "[open]").count()) === 0) await page.click(one + " > summary");
}
async function download(page, name) {
    const [got] = await Promise.all([page.waitForEvent("download"), page.click(`[data-download=${name}]`)]);
    return readFileSync(await got.path());
}

test("it is one file of at most 1.6 MB, whose policy allows its own script and the program alone", () => {
    assert.ok(statSync(file).size <= 1.6e6, String(statSync(file).size));
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(file, "utf8"))[1];
    const rules = policy.replace(/sha256-[\w+/=]+/g, "sha256");
    assert.equal(
        rules,
        "default-src 'none'; style-src 'sha256'; script-src 'sha256' 'wasm-unsafe-eval'; " +
            "worker-src blob:; base-uri 'none'; form-action 'none'"
    );
});

test("the first tensor is on screen soon after it is opened", async ({ using }) => {
    const times = [];
    for (let i = 0; i < 3; ++i) {
        const began = Date.now();
        await using(file, {}, () => times.push(Date.now() - began));
    }
    console.log(`first tensor after ${times} ms`);
    assert.ok(Math.min(...times) < 3000); // under 1000 where nothing else runs
});

test("all stages come out as JSON with the bytes of the native program", ({ using }) =>
    using(file, {}, async (page) => {
        await page.selectOption("#stage", "all");
        await view(page, "download");
        const bytes = await download(page, "json");
        const hash = (data) => createHash("sha256").update(data).digest("hex");
        assert.equal(hash(bytes), hash(native(["all", "--json", "-"]).stdout));
    }));

test("an option is in the command line, and the text is that of the native program", ({ using }) =>
    using(file, {}, async (page) => {
        await view(page, "text");
        await settled(page, "text");
        assert.equal(await output(page, "text"), native(["causal"]).stdout);
        await openedOptions(page);
        await page.fill("#option-seed", "123");
        await page.selectOption("#option-dropout-rng", "mkl");
        await page.waitForFunction(
            () =>
                document.querySelector("#command").textContent ===
                "attn-walkthrough causal --seed 123 --dropout-rng mkl"
        );
        const expected = native(["causal", "--seed", "123", "--dropout-rng", "mkl"]).stdout;
        await page.waitForFunction(
            (text) => document.querySelector("#panel-text pre.output").textContent === text,
            expected
        );
        await page.click("#changed button:first-child");
        assert.equal(await page.inputValue("#option-seed"), "");
        await page.waitForFunction(() => !document.querySelector("#command").textContent.includes("--seed"));
    }));

test("every stage can be explored", ({ using }) =>
    using(file, {}, async (page) => {
        // The list is filled after the first page is shown.
        await page.locator("#stage option").first().waitFor({ state: "attached" });
        const stages = await page.locator("#stage option").evaluateAll((all) => all.map((one) => one.value));
        assert.ok(stages.length > 20, String(stages));
        for (const stage of stages.slice(0, -1)) {
            await page.selectOption("#stage", stage);
            await inStage(page, stage);
            assert.equal(await page.isVisible("#error"), false);
        }
    }));

test("an own sentence is walked; what is wrong with it is said beside it and nothing typed is lost", ({
    using
}) =>
    using(file, {}, async (page) => {
        await page.click("#own summary");
        assert.equal(await page.inputValue("#tokens"), "Your journey starts with one step");
        await typed(page, "tokens", "Your <b>words</b>");
        await page.waitForFunction(() =>
            /no vector yet: <b>words<\/b>$/.test(document.querySelector("#own-wrong").textContent)
        );
        // It is said once, and the shown page is marked as that of the earlier sentence.
        assert.equal((await page.innerText("body")).split("no vector yet").length, 2);
        await page.waitForSelector("#panel-page.stale");
        await typed(page, "embeddings", "0.5, 1\nx 2");
        await page.waitForFunction(() =>
            /Row 2 .*x 2/.test(document.querySelector("#own-wrong").textContent)
        );
        for (const [language, message] of [
            ["zh", "第 2 行"],
            ["en", "Row 2"]
        ]) {
            await page.click(`[data-language=${language}]`);
            await page.locator("#own-wrong", { hasText: message }).waitFor();
            await page.waitForFunction((one) => document.documentElement.lang === one, language);
        }
        assert.equal(await page.inputValue("#embeddings"), "0.5, 1\nx 2");
        await view(page, "diagnose");
        assert.equal(await command(page), "attn-walkthrough diagnose paste.txt");
        await view(page, "page");
        await typed(page, "embeddings", "0.5, 1");
        await page.click("#fill-random");
        await page.locator(".result th[scope=row] bdi", { hasText: "<b>words</b>" }).waitFor();
        assert.equal(await page.textContent("#own-wrong"), "");
        assert.equal(await page.isVisible("#error"), false);
        assert.match(await command(page), /causal --input lesson\.json --out page\.html/);
        const rows = (await page.inputValue("#embeddings"))
            .split("\n")
            .map((row) => row.replace(",", "").split(" ").map(Number));
        const lesson = written(
            "lesson.json",
            JSON.stringify({ tokens: ["Your", "<b>words</b>"], embeddings: rows })
        );
        await view(page, "text");
        await settled(page, "text");
        assert.equal(await output(page, "text"), native(["causal", "--input", lesson]).stdout);
        await page.click("#forget-own");
        await page.waitForFunction(() => !document.querySelector("#command").textContent.includes("--input"));
    }));

test("files are input and weights, by choice and by dropping", ({ using }) =>
    using(file, {}, async (page) => {
        native([
            "linear",
            "--step",
            "W_query",
            "--step",
            "W_key",
            "--step",
            "W_value",
            "--seed",
            "5",
            "--json",
            inFolder("trace.json")
        ]);
        const trace = JSON.parse(readFileSync(inFolder("trace.json"), "utf8"));
        const weights = Object.fromEntries(
            trace.stages[0].steps.map(({ name, data }) => [name + ".weight", data])
        );
        const path = written("权重 1.json", JSON.stringify(weights));
        const input = written(
            "输入 1.json",
            JSON.stringify({
                tokens: ["a", "b"],
                embeddings: [
                    [1, 2, 3],
                    [4, 5, 7]
                ]
            })
        );
        await page.setInputFiles("#files", [input, path]);
        await page.waitForFunction(() =>
            /--input '输入_1\.json' --weights '权重_1\.json'/.test(
                document.querySelector("#command").textContent
            )
        );
        await view(page, "text");
        await settled(page, "text");
        assert.equal(
            await output(page, "text"),
            native(["causal", "--input", input, "--weights", path]).stdout
        );
        await view(page, "download");
        await page.click("#file-list button");
        const npz = await download(page, "npz");
        assert.equal(npz.subarray(0, 2).toString(), "PK");
        const lesson = JSON.stringify({
            tokens: ["a", "b"],
            embeddings: [
                [1, 2, 3],
                [4, 5, 6]
            ]
        });
        const data = await page.evaluateHandle((text) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "-rf <b>.json"));
            return transfer;
        }, lesson);
        await page.dispatchEvent("#drop", "drop", { dataTransfer: data });
        await page.waitForFunction(() =>
            document.querySelector("#command").textContent.includes("--input rf__b_.json")
        );
        await page.setInputFiles("#files", { name: "__proto__", mimeType: "", buffer: readFileSync(path) });
        await page.waitForFunction(() =>
            document.querySelector("#command").textContent.includes("--weights __proto__")
        );
        await view(page, "text");
        await page.waitForFunction(
            (text) => document.querySelector("#panel-text pre.output").textContent === text,
            native(["causal", "--input", written("rf.json", lesson), "--weights", path]).stdout
        );
        await view(page, "page");
        await page.locator(".result th[scope=row] bdi", { hasText: "b" }).first().waitFor();
    }));

test("the names of tensors say whether an .npz is input or weights, and a pickle is refused as one", ({
    using
}) =>
    using(file, {}, async (page) => {
        const [input, weights] = ["x.npz", "w.npz"].map(inFolder);
        const script = `import numpy, sys
numpy.savez(sys.argv[1], hidden=[[1, 2, 3], [4, 5, 7]])
weights = {"W_" + name: [[1, 2], [3, 4], [5, 6]] for name in ("query", "key", "value")}
numpy.savez_compressed(sys.argv[2], **weights)`;
        execFileSync("/usr/bin/python3", ["-c", script, input, weights]);
        await page.selectOption("#stage", "trainable");
        await inStage(page, "trainable");
        await page.setInputFiles("#files", [input, weights]);
        await page.waitForFunction(() =>
            document.querySelector("#command").textContent.includes("--input x.npz --weights w.npz")
        );
        await view(page, "text");
        const shows = (text) =>
            page.waitForFunction(
                (expected) => document.querySelector("#panel-text pre.output").textContent === expected,
                text
            );
        await shows(native(["trainable", "--input", input, "--weights", weights]).stdout);
        await page.selectOption("#file-list select >> nth=1", ""); // not used
        await shows(native(["trainable", "--input", input]).stdout);
        await page.selectOption("#file-list select >> nth=1", "weights");
        await shows(native(["trainable", "--input", input, "--weights", weights]).stdout);
        for (const [name, bytes] of [
            ["model.pt", [0x80, 2, 0x7d, 0x2e]],
            [
                "zip.pt",
                [...readFileSync(input)].map((byte, i, all) =>
                    String.fromCharCode(...all.slice(i, i + 4)) === ".npy" ? 0x5f : byte
                )
            ]
        ]) {
            await page.setInputFiles("#files", { name, mimeType: "", buffer: Buffer.from(bytes) });
            await page.waitForFunction(
                (start) =>
                    document.querySelector("#error").textContent.startsWith(start) &&
                    /pickle/.test(document.querySelector("#error").textContent),
                name + ":"
            );
        }
    }));

test("a paste is diagnosed as the native program does", ({ using }) =>
    using(file, {}, async (page) => {
        const text = native(["causal", "--step", "attn_weights", "--quiet"]).stdout;
        await view(page, "diagnose");
        await page.fill("#paste", text);
        await page.click("#diagnose");
        await settled(page, "diagnose");
        const expected = native(["diagnose", written("paste.txt", text)]);
        assert.equal(await output(page, "diagnose"), expected.stdout);
        assert.match(expected.stdout, /attn_weights/);
        assert.equal(await command(page), "attn-walkthrough diagnose paste.txt");
        await page.check("#only-stage");
        assert.equal(await command(page), "attn-walkthrough diagnose causal paste.txt");
        await page.uncheck("#only-stage");
        await page.fill("#paste", "");
        assert.equal(await output(page, "diagnose"), "");
        await page.click("#diagnose");
        assert.match(await page.textContent("#error"), /First paste a tensor/);
        await page.fill("#paste", "no tensor");
        await page.click("#diagnose");
        await page.waitForSelector("#error:not([hidden])");
        assert.equal(await page.inputValue("#paste"), "no tensor");
    }));

test("the numbers are compared as the native program does, without the options that a comparison has not", ({
    using
}) =>
    using(file, {}, async (page) => {
        await openedOptions(page);
        await page.fill("#option-seed", "123");
        await page.selectOption("#option-code", "numpy");
        await view(page, "compare");
        await settled(page, "compare");
        assert.equal(await command(page), "attn-walkthrough compare causal --seed 123");
        const expected = native(["compare", "causal", "--seed", "123"]).stdout;
        await page.waitForFunction(
            (text) => document.querySelector("#panel-compare pre.output").textContent === text,
            expected
        );
    }));

test("what is chosen is downloaded in every format", ({ using }) =>
    using(file, {}, async (page) => {
        await view(page, "download");
        await page.click("[data-download=svg]");
        assert.match(await page.textContent("#error"), /one step: choose it/);
        assert.equal(await page.evaluate(() => document.activeElement.id), "one-step");
        await page.selectOption("#one-step", "attn_weights");
        for (const suffix of ["json", "safetensors", "html", "ipynb", "md", "tex", "csv", "svg"]) {
            const expected = native(["causal", "--step", "attn_weights", "--out", "-." + suffix]).stdout;
            assert.equal((await download(page, suffix)).toString(), expected, suffix);
        }
    }));

test("a cell pointed out in the page is explained, down to the embeddings", ({ using }) =>
    using(file, {}, async (page) => {
        await page.evaluate(() => {
            location.hash = "#causal/context_vec";
        });
        await page.waitForFunction(() => document.querySelector("h2 code")?.textContent === "context_vec");
        await page.locator(cells).nth(3).click();
        await view(page, "explain");
        assert.equal(await page.inputValue("#cell"), "context_vec[1][1]");
        const explains = (depth) =>
            page.waitForFunction(
                (text) => document.querySelector("#panel-explain pre.output").textContent === text,
                native(["explain", "causal", "context_vec[1][1]", "--depth", depth]).stdout
            );
        await page.fill("#depth", "2");
        await explains("2");
        await page.click("#bottom");
        await explains("99");
        await typed(page, "cell", "context_vec[9][9]");
        assert.equal(
            "attn-walkthrough: " + (await page.textContent("#error")),
            native(["explain", "causal", "context_vec[9][9]", "--depth", "99"]).stderr.trim()
        );
        await typed(page, "cell", "0.5517");
        await page.waitForFunction(
            (text) => document.querySelector("#panel-explain pre.output").textContent === text,
            native(["explain", "causal", "0.5517"]).stdout
        );
    }));

test("an edit in the page is computed by the program, and is in the command line", ({ using }) =>
    using(file, {}, async (page) => {
        await page.click(".strip a >> nth=0");
        await page.locator(cells).nth(3).click();
        await page.fill(".edit input >> nth=0", "0,75");
        await page.waitForFunction(() =>
            document.querySelector("#command").textContent.includes("--set 'inputs[1][0]=0.75'")
        );
        // The field in use stays.
        assert.equal(await page.evaluate(() => document.activeElement.dataset.edit), "text");
        const expected = JSON.parse(native(["causal", "--set", "inputs[1][0]=0.75", "--json", "-"]).stdout)
            .stages[0].steps;
        await page.waitForFunction(() => document.querySelector(".result td.at").textContent === "0.7500");
        for (const step of expected) {
            await page.evaluate((name) => {
                location.hash = location.hash.replace(/\/.*?(?=\?)/, "/" + name);
            }, step.name);
            await page.waitForFunction(
                (name) => document.querySelector("h2 code").textContent === name,
                step.name
            );
            const shown = await page
                .locator(cells)
                .evaluateAll((all) =>
                    all.map((td) =>
                        td.classList.contains("m")
                            ? null
                            : Number(td.firstChild.textContent.replaceAll("−", "-"))
                    )
                );
            step.data.flat(9).forEach((x, i) => {
                if (shown[i] !== null && typeof x === "number")
                    assert.ok(Math.abs(shown[i] - x) <= 5.001e-5, `${step.name} ${i} ${shown[i]} ${x}`);
            });
        }
        await page.goto(
            await page.evaluate(() => location.href.replace(/\/context_vec_dropped/, "/inputs/1,0"))
        );
        await page.reload();
        await page.waitForFunction(() => document.querySelector(".result td.held")?.textContent === "0.7500");
        assert.match(await page.textContent("#changed"), /inputs\[1\]\[0\] = 0\.75/);
        await page.click("#changed button");
        await page.waitForFunction(() => document.querySelector(".result td.at").textContent === "0.5500");
        await page.click("#undo");
        await page.waitForFunction(() => document.querySelector(".result td.at").textContent === "0.7500");
    }));

test("a number that a step copies is edited where it was given", ({ using }) =>
    using(file, { hash: "#multi-head/batch/0,1,0" }, async (page) => {
        assert.match(await page.textContent(".edit label"), /^inputs\[1\]\[0\]/);
        await page.fill(".edit input >> nth=0", "0.75");
        await page.waitForFunction(() => document.querySelector(".result td.at").textContent === "0.7500");
        assert.match(await command(page), /--set 'inputs\[1\]\[0\]=0\.75'/);
        await page.click("#undo");
        await page.waitForFunction(() => document.querySelector(".result td.at").textContent === "0.5500");
    }));

test("a slider is dragged with the mouse, and the numbers follow while it is", ({ using }) =>
    using(file, {}, async (page) => {
        await page.click(".strip a >> nth=0");
        await page.locator(cells).nth(3).click();
        const slider = await page.locator(".edit input[type=range]").elementHandle();
        const { x, y, width, height } = await slider.boundingBox();
        await page.mouse.move(x + width * 0.64, y + height / 2);
        await page.mouse.down();
        const seen = new Set();
        for (let i = 0; i < 10; ++i) {
            await page.mouse.move(x + width * (0.64 + i * 0.03), y + height / 2);
            await page.waitForTimeout(150);
            seen.add(await page.textContent(".result td.at"));
        }
        await page.mouse.up();
        await page.click("#undo"); // the whole way of the slider
        await page.waitForFunction(() => document.querySelector(".result td.at").textContent === "0.5500");
        assert.equal(await page.isVisible("#undo"), false);
        await slider.focus();
        assert.ok(seen.size >= 5, [...seen].join());
        assert.equal(
            await page.evaluate((one) => one.isConnected && document.activeElement === one, slider),
            true
        );
        const edited = await page.evaluate(async (one) => {
            const before = document.querySelector(".result td.at").textContent;
            const began = performance.now();
            one.value = "-1";
            one.dispatchEvent(new Event("input", { bubbles: true }));
            while (document.querySelector(".result td.at").textContent === before)
                await new Promise((done) => setTimeout(done, 5));
            return Math.round(performance.now() - began);
        }, slider);
        console.log(`an edit ${edited} ms`);
    }));

test("a number that is refused is said beside the field, and the view stays", ({ using }) =>
    using(file, {}, async (page) => {
        await page.click(".strip a >> nth=0");
        await page.fill(".edit input >> nth=0", "x");
        assert.match(await page.textContent(".refusal"), /“x” is not a number/);
        await page.fill(".edit input >> nth=0", "1e39");
        await page.waitForFunction(
            () =>
                document.querySelector(".refusal").textContent.includes("1e39") ||
                document.querySelector(".refusal").textContent.includes("1e+39")
        );
        assert.equal(await page.textContent(".result td.at"), "0.5500");
        assert.doesNotMatch(await command(page), /--set/);
    }));

test("the address has stage, options and sentence; back, forward and reload follow it", ({ using }) =>
    using(file, {}, async (page) => {
        await page.selectOption("#stage", "multi-head");
        await inStage(page, "multi-head");
        await openedOptions(page);
        await typed(page, "option-seed", "5");
        await page.waitForFunction(() => location.hash.includes("seed=5"));
        await typed(page, "tokens", "two words");
        await page.click("#fill-zeros");
        await page.waitForFunction(() => location.hash.includes("tokens=two"));
        await page.reload();
        await page.locator(".result th[scope=row] bdi", { hasText: "words" }).waitFor();
        assert.match(await command(page), /multi-head --seed 5 --input lesson\.json/);
        await page.selectOption("#stage", "causal");
        await inStage(page, "causal");
        // The user's own sentence stays.
        await page.locator(".result th[scope=row] bdi", { hasText: "words" }).waitFor();
        await page.goBack();
        await inStage(page, "multi-head");
        await page.goForward();
        await inStage(page, "causal");
    }));

test("the quiz asks, judges and counts as the native program", ({ using }) =>
    using(file, {}, async (page) => {
        await view(page, "quiz");
        await typed(page, "questions", "2");
        await typed(page, "quiz-seed", "5");
        const [question, ...replies] = native(
            ["quiz", "causal", "--count", "2", "--quiz-seed", "5"],
            "?\n0.5\n1\n"
        )
            .stdout.split(/^> .*\n/m)
            .map((one) => one.trim());
        const asks = (text) =>
            page.waitForFunction(
                (expected) => document.querySelector("#panel-quiz pre.output").textContent === expected,
                text
            );
        const answer = async (text) => {
            await page.fill("#answer", text);
            await page.keyboard.press("Enter");
            await page.waitForFunction(
                () => !document.querySelector("#panel-quiz").hasAttribute("aria-busy")
            );
        };
        await asks(question);
        for (const [text, hint] of [
            ["?", replies[0].split("\n").slice(0, -2).join("\n")],
            ["many", '"many" is not a number; write one such as 0.5517 or -inf.'],
            ["", "Press Enter again to see the answer"]
        ]) {
            await answer(text);
            await page.waitForFunction(
                (start) => document.querySelector("#hint").textContent.startsWith(start),
                hint
            );
            await asks(question); // the question stays above its hint, and is asked again
            assert.equal(await page.isVisible("#verdict"), false);
        }
        await page.click("#quiz-restart");
        await page.waitForSelector("#hint", { state: "hidden" });
        await page.click("#answer-hint");
        await page.waitForSelector("#hint:not([hidden])");
        const { y } = await page.locator("#hint").boundingBox();
        assert.ok(y > (await page.locator("#panel-quiz pre.output").boundingBox()).y);
        assert.doesNotMatch(await page.textContent("#hint"), /attn-walkthrough explain/);
        await page.click("#answer-explain");
        assert.equal(await page.getAttribute("#tab-explain", "aria-selected"), "true");
        assert.equal(await page.inputValue("#cell"), "row_sums[4][0]");
        await page.waitForFunction(
            (text) => document.querySelector("#panel-explain pre.output").textContent === text,
            native(["explain", "causal", "row_sums[4][0]"]).stdout
        );
        await view(page, "quiz");
        await answer("0.5");
        const [verdict, ...next] = replies[1].split("\n\n");
        await asks(next.join("\n\n"));
        assert.equal(await page.textContent("#verdict"), verdict);
        assert.equal(await page.evaluate(() => document.activeElement.id), "answer");
        await page.fill("#answer", "1");
        await page.click("#answer-go");
        await asks("0 of 2 right.");
        assert.equal(await page.isVisible("#answer"), false);
        await page.click("#quiz-restart");
        await asks(question);
    }));

test("the command and the own sentence can be taken along", ({ using }) =>
    using(file, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
        await view(page, "download");
        assert.equal(await page.isVisible("#download-lesson"), false);
        await page.click("#own summary");
        await typed(page, "tokens", "Your journey starts with one pace");
        await page.click("#fill-zeros");
        await page.waitForSelector("#download-lesson");
        const [got] = await Promise.all([page.waitForEvent("download"), page.click("#download-lesson")]);
        assert.deepEqual(JSON.parse(readFileSync(await got.path())).embeddings.slice(4), [
            [0.77, 0.25, 0.1],
            [0, 0, 0]
        ]);
        await page.click("#copy");
        await page.waitForFunction(() => document.querySelector("#copy").textContent.startsWith("Copied"));
        assert.equal(
            await page.evaluate(() => navigator.clipboard.readText()),
            "attn-walkthrough causal --input lesson.json"
        );
        await page.click("#forget-own");
        await page.waitForSelector("#download-lesson", { state: "hidden" });
        assert.equal(await page.isVisible("#forget-own"), false);
    }));

test("at 400 px: the command is copied, and an open form leaves the arithmetic in sight", ({ using }) =>
    using(file, { width: 400, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
        for (const state of ["folded", "open"]) {
            assert.ok(await page.isVisible("#copy"), state);
            await page.click("#copy");
            await page.waitForFunction(() =>
                document.querySelector("#copy").textContent.startsWith("Copied")
            );
            assert.equal(
                await page.evaluate(() => navigator.clipboard.readText()),
                "attn-walkthrough causal --out page.html",
                state
            );
            const { top, bottom } = await page
                .locator(".sum .own")
                .evaluate((one) => one.getBoundingClientRect().toJSON());
            assert.ok(top > 0 && bottom <= 800, `${state}: ${top} to ${bottom}`);
            await page.locator("#copy", { hasText: "Copy as command" }).waitFor();
            if (state === "folded") await page.click("#own summary");
        }
    }));

test("at 1280 px: no title of a stage is cut, and numbers stay in sight below the open form", ({ using }) =>
    using(file, {}, async (page) => {
        await page.locator("#stage option").first().waitFor({ state: "attached" });
        const cut = await page.evaluate(() => {
            const select = document.getElementById("stage");
            const context = document.createElement("canvas").getContext("2d");
            const { font, paddingLeft, paddingRight, borderLeftWidth } = getComputedStyle(select);
            context.font = font;
            const [left, right, border] = [paddingLeft, paddingRight, borderLeftWidth].map(parseFloat);
            const arrow = 20;
            const room = select.getBoundingClientRect().width - left - right - 2 * border - arrow;
            return [...select.options]
                .map((one) => one.text)
                .filter((text) => context.measureText(text).width > room);
        });
        assert.deepEqual(cut, []);
        const rows = await page
            .locator("#form > div.row > *")
            .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
        assert.ok(Math.max(...rows) - Math.min(...rows) < 15, String(rows));
        await page.click("#own summary");
        const { y, height } = await page.locator(cells).last().boundingBox();
        assert.ok(y + height <= 800, String(y + height));
    }));

test("a message of the program stands where the reader is, marks the field, and goes when it is mended", ({
    using
}) =>
    using(file, {}, async (page) => {
        await openedOptions(page);
        await typed(page, "option-seed", "many");
        await page.waitForSelector("#error:not([hidden])");
        assert.equal(
            "attn-walkthrough: " + (await page.textContent("#error")),
            native(["causal", "--seed", "many"]).stderr.trim()
        );
        assert.equal(await page.getAttribute("#option-seed", "aria-invalid"), "true");
        assert.equal(await page.inputValue("#option-seed"), "many");
        await typed(page, "option-seed", "5");
        await page.waitForSelector("#error", { state: "hidden" });
        assert.equal(await page.getAttribute("#option-seed", "aria-invalid"), null);
    }));

test("long work shows that it goes on, can be stopped, and loses nothing", ({ using }) =>
    using(file, {}, async (page) => {
        await openedOptions(page);
        await view(page, "diagnose");
        const paste = native(["causal", "--seed", "99991", "--step", "keys", "--quiet"]).stdout;
        await page.fill("#paste", paste);
        await page.check("#option-search-seeds");
        await page.click("#diagnose");
        await page.waitForSelector("#busy:not([hidden])");
        assert.match(await page.textContent("#elapsed"), /Working, \d/);
        await page.click("#stop");
        await page.waitForSelector("#busy", { state: "hidden" });
        assert.equal(await page.inputValue("#paste"), paste);
        assert.match(await page.textContent("#spoken"), /Stopped/);
        await view(page, "text");
        await settled(page, "text");
        assert.match(await output(page, "text"), /causal 1\/20/);
    }));

test("a program that breaks down is started again, and nothing typed is lost", ({ using }) =>
    using(file, {}, async (page) => {
        await view(page, "diagnose");
        await page.fill("#paste", "kept");
        await page.evaluate(() => {
            window.attnEngine.worker.onerror({ message: "out of memory" });
        });
        await page.fill("#paste", native(["causal", "--step", "keys", "--quiet"]).stdout);
        await page.click("#diagnose");
        await settled(page, "diagnose");
        assert.match(await output(page, "diagnose"), /keys/);
    }));

test("by keyboard alone: a stage, an option, a view, an answer", ({ using }) =>
    using(file, {}, async (page) => {
        const tabTo = async (id) => {
            for (let i = 0; i < 60; ++i) {
                if ((await page.evaluate(() => document.activeElement.id)) === id) return;
                await page.keyboard.press("Tab");
            }
            assert.fail("no way to " + id);
        };
        // The page is shown before the stages are known.
        await page.locator("#stage option").first().waitFor({ state: "attached" });
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter"); // the skip link leads to the table
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "gridcell");
        await page.keyboard.press("ArrowDown");
        assert.match(await page.textContent("h2"), /What may starts look at/);
        await page.evaluate(() => document.activeElement.blur());
        await tabTo("stage");
        await page.keyboard.press("ArrowDown");
        await inStage(page, "causal-batch");
        for (const id of ["own", "more-options"]) {
            for (
                let i = 0;
                i < 10 && (await page.evaluate(() => document.activeElement.parentElement?.id)) !== id;
                ++i
            )
                await page.keyboard.press("Tab");
            await page.keyboard.press("Enter");
        }
        await tabTo("option-seed");
        await page.keyboard.type("7");
        await page.waitForTimeout(300);
        for (let i = 0; i < 60 && (await page.evaluate(() => document.activeElement.id)) !== "tab-page"; ++i)
            await page.keyboard.press("Shift+Tab");
        for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
        assert.equal(await page.getAttribute("#tab-quiz", "aria-selected"), "true");
        await settled(page, "quiz");
        assert.match(
            await command(page),
            /^attn-walkthrough quiz causal-batch --seed 7 --count 10 --quiz-seed 123$/
        );
        await tabTo("answer");
        await page.keyboard.type("1");
        await page.keyboard.press("Enter");
        await page.waitForSelector("#verdict:not([hidden])");
    }));

test("Chinese: the page's words, the program's, and the command line", ({ using }) =>
    using(file, { locale: "zh-CN" }, async (page) => {
        assert.equal(await page.getAttribute("html", "lang"), "zh");
        assert.equal(await page.getAttribute("[data-do=next]", "aria-label"), "下一步");
        await page.waitForFunction(() =>
            document.querySelector("#command").textContent.includes("--lang zh")
        );
        await view(page, "text");
        await settled(page, "text");
        assert.equal(await output(page, "text"), native(["causal", "--lang", "zh"]).stdout);
        await page.click("[data-language=en]");
        await view(page, "page");
        await page.locator("[data-do=next][aria-label='Next step']").waitFor();
        await page.waitForFunction(() => !document.querySelector("#command").textContent.includes("--lang"));
    }));

test("axe finds nothing, and nothing sticks out: wide and at 400 px, light and dark, in every view", async ({
    using
}) => {
    for (const colorScheme of ["light", "dark"]) {
        for (const width of [1280, 400]) {
            await using(file, { colorScheme, width, reducedMotion: "reduce" }, async (page) => {
                const isClean = async (state) => {
                    await page.waitForTimeout(200);
                    assert.deepEqual(await violations(page), [], `${colorScheme} ${width} ${state}`);
                    await assertFits(page, width, `${colorScheme} ${width} ${state}`);
                };
                await page.click(".strip a >> nth=0");
                await page.locator(cells).nth(3).click();
                await page.fill(".edit input >> nth=0", "x");
                await page.click(".all-steps summary");
                await isClean("a number refused");
                await page.click("#own summary");
                await page.setInputFiles("#files", {
                    name: "a.json",
                    mimeType: "",
                    buffer: Buffer.from("{}")
                });
                await typed(page, "tokens", "some new words");
                await isClean("a sentence without vectors");
                await page.click("#forget-own");
                await page.click("#file-list button");
                await openedOptions(page);
                for (const name of ["page", "text", "compare", "explain", "diagnose", "quiz", "download"]) {
                    await view(page, name);
                    if (name === "text") await typed(page, "option-seed", "x");
                    if (name === "explain") await typed(page, "option-seed", "");
                    if (name === "diagnose") {
                        await page.fill("#paste", native(["causal", "--step", "keys", "--quiet"]).stdout);
                        await page.click("#diagnose");
                        await settled(page, "diagnose");
                        assert.match(await output(page, "diagnose"), /keys/);
                    }
                    if (name === "quiz") {
                        await settled(page, "quiz");
                        for (const text of ["1", "?"]) {
                            await page.fill("#answer", text);
                            await page.click("#answer-go");
                            await page.waitForTimeout(200);
                        }
                        await page.waitForSelector("#hint:not([hidden])");
                    }
                    await isClean(name);
                }
                assert.equal(
                    await page.evaluate(() =>
                        [...document.querySelectorAll("*")].some(
                            (one) => getComputedStyle(one).transitionDuration !== "0s"
                        )
                    ),
                    false
                );
            });
        }
    }
});
