// The program in the browser, as a reader uses it, beside the native program. One more argument: the file that
// app/web/build.sh made.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { browser, check, figures, finish, folder, program, violations as violationsOf } from "./checks.mjs";

const file = process.argv[5];
const address = "file://" + resolve(file);
const environment = { ...process.env, LC_ALL: "C" };

function native(args, input = "") {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input, env: environment, maxBuffer: 1 << 28 });
    return { code: status, stdout, stderr };
}
function written(name, text) {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
}

figures.edits = [];
// A page that may reach no network. What it says to the console, throws, or asks of the network is kept.
async function using({ width = 1280, height = 800, shown = true, ...options }, body) {
    const context = await browser.newContext({ viewport: { width, height }, locale: "en-US", offline: true, ...options });
    const page = await context.newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("request", (request) => { if (!/^(blob:|file:)/.test(request.url()) || (request.url().startsWith("file:") && request.url() !== address)) said.push("request " + request.url()); });
    try {
        await page.goto(address);
        if (shown) await inner(page).locator(".step.on").waitFor();
        await body(page);
        assert.deepEqual(said, []);
    } finally {
        await context.close();
    }
}
const inner = (page) => page.frameLocator("#frame iframe");
const command = (page) => page.textContent("#command");
async function view(page, name) {
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(150);  // until the browser knows where the frame is no longer
    await page.click("#tab-" + name);
}
const settled = (page, name) => page.waitForFunction((id) => document.querySelector(`#panel-${id} pre.output:last-of-type`).textContent && !document.getElementById("panel-" + id).hasAttribute("aria-busy"), name);
const output = (page, name) => page.locator(`#panel-${name} pre.output`).last().textContent();
async function typed(page, id, text) {
    await page.fill("#" + id, text);
    await page.waitForTimeout(250);
}
async function openedOptions(page) {
    if (await page.locator("#options[open]").count() === 0) await page.click("#options summary");
}
async function download(page, name) {
    const [got] = await Promise.all([page.waitForEvent("download"), page.click(`[data-download=${name}]`)]);
    return readFileSync(await got.path());
}
const violations = (page) => violationsOf(page, { iframes: false });

await check("it is one file of at most 2 MB, whose policy allows its own script and the program alone", () => {
    figures.bytes = statSync(file).size;
    assert.ok(figures.bytes <= 2e6, String(figures.bytes));
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(readFileSync(file, "utf8"))[1];
    assert.match(policy, /^default-src 'none'; style-src 'sha256-\S+' 'sha256-\S+'; script-src 'sha256-\S+' 'sha256-\S+' 'wasm-unsafe-eval'; worker-src blob:; frame-src blob:; base-uri 'none'; form-action 'none'$/);
});

await check("the first tensor is on screen soon after it is opened", async () => {
    const times = [];
    for (let i = 0; i < 3; ++i) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        const page = await context.newPage();
        const began = Date.now();
        await page.goto(address);
        await inner(page).locator(".result td[role=gridcell]").first().waitFor();
        times.push(Date.now() - began);
        await context.close();
    }
    figures.first = Math.min(...times);
    assert.ok(figures.first < 3000, String(times));  // under 1000 where nothing else runs
});

await check("all stages come out as JSON with the bytes of the native program", () => using({}, async (page) => {
    await page.selectOption("#stage", "all");
    await view(page, "download");
    const bytes = await download(page, "json");
    const hash = (data) => createHash("sha256").update(data).digest("hex");
    figures.hash = hash(bytes).slice(0, 16);
    assert.equal(hash(bytes), hash(native(["all", "--json", "-"]).stdout));
}));

await check("an option is in the command line, and the text is that of the native program", () => using({}, async (page) => {
    await view(page, "text");
    await settled(page, "text");
    assert.equal(await output(page, "text"), native(["causal"]).stdout);
    await openedOptions(page);
    await page.fill("#option-seed", "123");
    await page.selectOption("#option-dropout-rng", "mkl");
    await page.waitForFunction(() => document.querySelector("#command").textContent === "attn-walkthrough causal --seed 123 --dropout-rng mkl");
    const expected = native(["causal", "--seed", "123", "--dropout-rng", "mkl"]).stdout;
    await page.waitForFunction((text) => document.querySelector("#panel-text pre.output").textContent === text, expected);
    await page.click("#changed button:first-child");
    assert.equal(await page.inputValue("#option-seed"), "");
    await page.waitForFunction(() => !document.querySelector("#command").textContent.includes("--seed"));
}));

await check("every stage can be explored", () => using({}, async (page) => {
    const stages = (await page.locator("#stage option").evaluateAll((all) => all.map((one) => one.value)));
    assert.ok(stages.length > 20, String(stages));
    for (const stage of stages.slice(0, -1)) {
        await page.selectOption("#stage", stage);
        await inner(page).locator(`.step.on[id^="${stage}/"]`).waitFor({ timeout: 120000 });
        assert.equal(await page.isVisible("#error"), false);
    }
}));

await check("an own sentence is walked; what is wrong with it is said beside it and nothing typed is lost", () => using({}, async (page) => {
    await page.click("#own summary");
    assert.equal(await page.inputValue("#tokens"), "Your journey starts with one step");
    await typed(page, "tokens", "two <b>words</b>");
    assert.match(await page.textContent("#error"), /2 words but 6 rows/);
    await typed(page, "embeddings", "0.5, 1\nx 2");
    assert.match(await page.textContent("#error"), /Row 2 .*x 2/);
    assert.equal(await page.inputValue("#embeddings"), "0.5, 1\nx 2");
    await view(page, "diagnose");
    assert.equal(await command(page), "attn-walkthrough diagnose paste.txt");
    await view(page, "page");
    await typed(page, "embeddings", "0.5, 1");
    await page.click("#fill");
    await inner(page).locator(".result th[scope=row] bdi", { hasText: "<b>words</b>" }).waitFor();
    assert.equal(await page.isVisible("#error"), false);
    assert.match(await command(page), /causal --input lesson\.json --out page\.html/);
    const rows = (await page.inputValue("#embeddings")).split("\n").map((row) => row.replace(",", "").split(" ").map(Number));
    const lesson = written("lesson.json", JSON.stringify({ tokens: ["two", "<b>words</b>"], embeddings: rows }));
    await view(page, "text");
    await settled(page, "text");
    assert.equal(await output(page, "text"), native(["causal", "--input", lesson]).stdout);
    await page.click("#forget-own");
    await page.waitForFunction(() => !document.querySelector("#command").textContent.includes("--input"));
}));

await check("files are input and weights, by choice and by dropping", () => using({}, async (page) => {
    native(["linear", "--step", "W_query", "--step", "W_key", "--step", "W_value", "--seed", "5", "--json", join(folder, "trace.json")]);
    const trace = JSON.parse(readFileSync(join(folder, "trace.json"), "utf8"));
    const weights = Object.fromEntries(trace.stages[0].steps.map(({ name, data }) => [name + ".weight", data]));
    const path = written("权重 1.json", JSON.stringify(weights));
    const input = written("输入 1.json", JSON.stringify({ tokens: ["a", "b"], embeddings: [[1, 2, 3], [4, 5, 7]] }));
    await page.setInputFiles("#files", [input, path]);
    await page.waitForFunction(() => /--input '输入_1\.json' --weights '权重_1\.json'/.test(document.querySelector("#command").textContent));
    await view(page, "text");
    await settled(page, "text");
    assert.equal(await output(page, "text"), native(["causal", "--input", input, "--weights", path]).stdout);
    await view(page, "download");
    await page.click("#file-list button");
    const npz = await download(page, "npz");
    assert.equal(npz.subarray(0, 2).toString(), "PK");
    const lesson = JSON.stringify({ tokens: ["a", "b"], embeddings: [[1, 2, 3], [4, 5, 6]] });
    const data = await page.evaluateHandle((text) => { const transfer = new DataTransfer(); transfer.items.add(new File([text], "-rf <b>.json")); return transfer; }, lesson);
    await page.dispatchEvent("#drop", "drop", { dataTransfer: data });
    await page.waitForFunction(() => document.querySelector("#command").textContent.includes("--input rf__b_.json"));
    await page.setInputFiles("#files", { name: "__proto__", mimeType: "", buffer: readFileSync(path) });
    await page.waitForFunction(() => document.querySelector("#command").textContent.includes("--weights __proto__"));
    await view(page, "text");
    await page.waitForFunction((text) => document.querySelector("#panel-text pre.output").textContent === text,
        native(["causal", "--input", written("rf.json", lesson), "--weights", path]).stdout);
    await view(page, "page");
    await inner(page).locator(".result th[scope=row] bdi", { hasText: "b" }).waitFor();
}));

await check("a paste is diagnosed as the native program does", () => using({}, async (page) => {
    const text = native(["causal", "--step", "attn_weights", "--quiet"]).stdout;
    await view(page, "diagnose");
    await page.fill("#paste", text);
    await page.click("#diagnose");
    await settled(page, "diagnose");
    const expected = native(["diagnose", written("paste.txt", text)]);
    assert.equal(await output(page, "diagnose"), expected.stdout);
    assert.match(expected.stdout, /attn_weights/);
    assert.equal(await command(page), "attn-walkthrough diagnose paste.txt");
    await page.fill("#paste", "no tensor");
    await page.click("#diagnose");
    await page.waitForSelector("#error:not([hidden])");
    assert.equal(await page.inputValue("#paste"), "no tensor");
}));

await check("the numbers are compared as the native program does, without the options that a comparison has not", () => using({}, async (page) => {
    await openedOptions(page);
    await page.fill("#option-seed", "123");
    await page.selectOption("#option-code", "numpy");
    await view(page, "compare");
    await settled(page, "compare");
    assert.equal(await command(page), "attn-walkthrough compare causal --seed 123");
    const expected = native(["compare", "causal", "--seed", "123"]).stdout;
    await page.waitForFunction((text) => document.querySelector("#panel-compare pre.output").textContent === text, expected);
}));

await check("what is chosen is downloaded in every format", () => using({}, async (page) => {
    await view(page, "text");
    await page.fill("#option-step", "attn_weights");
    await view(page, "download");
    for (const suffix of ["json", "safetensors", "html", "ipynb", "md", "tex", "csv", "svg"]) {
        const expected = native(["causal", "--step", "attn_weights", "--out", "-." + suffix]).stdout;
        assert.equal((await download(page, suffix)).toString(), expected, suffix);
    }
}));

await check("a cell pointed out in the page is explained, down to the embeddings", () => using({}, async (page) => {
    await inner(page).locator("#map a[href='#causal/context_vec']").click();
    await inner(page).locator(".result td[role=gridcell]").nth(3).click();
    await view(page, "explain");
    assert.equal(await page.inputValue("#cell"), "context_vec[1][1]");
    await page.click("#bottom");
    await page.waitForFunction((text) => document.querySelector("#panel-explain pre.output").textContent === text, native(["explain", "causal", "context_vec[1][1]", "--depth", "99"]).stdout);
    await typed(page, "cell", "context_vec[9][9]");
    assert.equal("attn-walkthrough: " + await page.textContent("#error"), native(["explain", "causal", "context_vec[9][9]", "--depth", "99"]).stderr.trim());
    await typed(page, "cell", "0.5517");
    await page.waitForFunction((text) => document.querySelector("#panel-explain pre.output").textContent === text, native(["explain", "causal", "0.5517"]).stdout);
}));

await check("an edit in the page is computed by the program, and is in the command line", () => using({}, async (page) => {
    await inner(page).locator(".result td[role=gridcell]").nth(3).click();
    await inner(page).locator("#edit").fill("0.75");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#command").textContent.endsWith("--set 'inputs[1][0]=0.75'"));
    const expected = JSON.parse(native(["causal", "--set", "inputs[1][0]=0.75", "--json", "-"]).stdout).stages[0].steps;
    await inner(page).locator("html[data-computed='program']").waitFor({ state: "attached" });
    await inner(page).locator("#view").click();
    await inner(page).locator("#precision button").last().click();
    for (const step of expected) {
        await inner(page).locator(`#map a[href='#causal/${step.name}']`).click();
        const shown = await inner(page).locator(".result td[role=gridcell]").evaluateAll((all) => all.map((td) => td.firstChild.textContent.replaceAll("−", "-")));
        assert.deepEqual(shown.map(Number), step.data.flat(9).map((x) => (typeof x === "string" ? NaN : x)), step.name);
    }
}));

await check("an edit of one number is there at once, for every stage of the documents", () => using({}, async (page) => {
    for (const stage of ["simplified", "trainable", "linear", "causal", "causal-batch", "multi-head", "numpy", "encoder-decoder"]) {
        await page.selectOption("#stage", stage);
        await inner(page).locator(`.step.on[id^="${stage}/"]`).waitFor();
        await inner(page).locator(".result td[role=gridcell]").first().click();
        if (await inner(page).locator("#drag").count() === 0) continue;
        const time = await inner(page).locator("#drag").evaluate(async (slider) => {
            const began = performance.now();
            slider.value = String(Number(slider.value) + 0.1);
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - began;
        });
        figures.edits.push(`${stage} ${Math.round(time)}`);
        assert.ok(time < 500, `${stage} ${time}`);
    }
    assert.ok(figures.edits.length >= 5, String(figures.edits));
}));

await check("the quiz asks, judges and counts as the native program", () => using({}, async (page) => {
    await view(page, "quiz");
    await typed(page, "questions", "2");
    await typed(page, "quiz-seed", "5");
    const first = native(["quiz", "causal", "--count", "2", "--quiz-seed", "5"]).stdout.split(/^> /m)[0].trim();
    await page.waitForFunction((text) => document.querySelector("#panel-quiz pre.output:last-of-type").textContent === text, first);
    await page.fill("#answer", "0.5");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#verdict:not([hidden])");
    const [, second] = native(["quiz", "causal", "--count", "2", "--quiz-seed", "5"], "0.5\n").stdout.split(/^> /m);
    assert.equal(await page.textContent("#verdict"), second.split("\n")[1]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "answer");
    await page.fill("#answer", "1");
    await page.click("#answer-go");
    await page.waitForFunction(() => /of 2 right/.test(document.querySelector("#panel-quiz pre.output:last-of-type").textContent));
    assert.equal(await page.isVisible("#answer"), false);
    await page.click("#quiz-restart");
    await page.waitForFunction((text) => document.querySelector("#panel-quiz pre.output:last-of-type").textContent === text, first);
}));

await check("a message of the program stands where the reader is, marks the field, and goes when it is mended", () => using({}, async (page) => {
    await openedOptions(page);
    await typed(page, "option-seed", "many");
    await page.waitForSelector("#error:not([hidden])");
    assert.equal("attn-walkthrough: " + await page.textContent("#error"), native(["causal", "--seed", "many"]).stderr.trim());
    assert.equal(await page.getAttribute("#option-seed", "aria-invalid"), "true");
    assert.equal(await page.inputValue("#option-seed"), "many");
    await typed(page, "option-seed", "5");
    await page.waitForSelector("#error", { state: "hidden" });
    assert.equal(await page.getAttribute("#option-seed", "aria-invalid"), null);
}));

await check("long work shows that it goes on, can be stopped, and loses nothing", () => using({}, async (page) => {
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
    assert.match(await page.textContent("#said"), /Stopped/);
    await view(page, "text");
    await settled(page, "text");
    assert.match(await output(page, "text"), /causal 1\/20/);
}));

await check("a program that breaks down is started again, and nothing typed is lost", () => using({}, async (page) => {
    await view(page, "diagnose");
    await page.fill("#paste", "kept");
    await page.evaluate(() => { window.attnEngine.worker.onerror({ message: "out of memory" }); });
    await page.fill("#paste", native(["causal", "--step", "keys", "--quiet"]).stdout);
    await page.click("#diagnose");
    await settled(page, "diagnose");
    assert.match(await output(page, "diagnose"), /keys/);
}));

await check("by keyboard alone: a stage, an option, a view, an answer", () => using({}, async (page) => {
    const tabTo = async (id) => {
        for (let i = 0; i < 60; ++i) {
            if (await page.evaluate(() => document.activeElement.id) === id) return;
            await page.keyboard.press("Tab");
        }
        assert.fail("no way to " + id);
    };
    await tabTo("stage");
    await page.keyboard.press("ArrowDown");
    await inner(page).locator(".step.on[id^='causal-batch/']").waitFor();
    for (let i = 0; i < 10 && await page.evaluate(() => document.activeElement.parentElement?.id) !== "options"; ++i) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await tabTo("option-seed");
    await page.keyboard.type("7");
    await tabTo("tab-page");
    for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#tab-quiz", "aria-selected"), "true");
    await settled(page, "quiz");
    assert.match(await command(page), /^attn-walkthrough quiz causal-batch --seed 7 --count 10 --quiz-seed 123$/);
    await tabTo("answer");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#verdict:not([hidden])");
}));

await check("Chinese: the page's words, the program's, and the command line", () => using({ locale: "zh-CN" }, async (page) => {
    assert.equal(await page.getAttribute("html", "lang"), "zh");
    assert.match(await inner(page).locator("#next").textContent(), /下一步/);
    assert.match(await command(page), /--lang zh/);
    await view(page, "text");
    await settled(page, "text");
    assert.equal(await output(page, "text"), native(["causal", "--lang", "zh"]).stdout);
    await page.click("[data-language=en]");
    await view(page, "page");
    await inner(page).locator("#next", { hasText: "next" }).waitFor({ state: "attached" });
    await page.waitForFunction(() => !document.querySelector("#command").textContent.includes("--lang"));
}));

await check("axe finds nothing, and nothing sticks out: wide and at 400 px, light and dark, in every view", async () => {
    for (const colorScheme of ["light", "dark"]) {
        for (const width of [1280, 400]) {
            await using({ colorScheme, width, reducedMotion: "reduce" }, async (page) => {
                await page.click("#own summary");
                await openedOptions(page);
                for (const name of ["page", "text", "compare", "explain", "diagnose", "quiz", "download"]) {
                    await view(page, name);
                    if (name === "text") await typed(page, "option-seed", "x");
                    if (name === "explain") await typed(page, "option-seed", "");
                    await page.waitForTimeout(200);
                    assert.deepEqual(await violations(page), [], `${colorScheme} ${width} ${name}`);
                    const widest = await page.evaluate(() => document.scrollingElement.scrollWidth);
                    assert.ok(widest <= width, `${colorScheme} ${width} ${name}: ${widest}`);
                }
                assert.equal(await page.evaluate(() => [...document.querySelectorAll("*")].some((one) => getComputedStyle(one).transitionDuration !== "0s")), false);
                const small = await page.evaluate(() => [...document.querySelectorAll("button, input, select, summary")].filter((one) => one.offsetParent)
                    .filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.outerHTML.slice(0, 60)));
                assert.deepEqual(small, []);
            });
        }
    }
});

await finish(`${figures.bytes} bytes`, `first tensor after ${figures.first} ms`, `all stages ${figures.hash}`, `an edit: ${figures.edits.join(", ")} ms`);
