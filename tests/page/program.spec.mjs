// Tests the program in the browser as a reader uses it, and compares it with the native program.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import * as support from "./support.mjs";
import { assertFits, assertNumbers, cells, expect, goTo, inFolder, on, test, written } from "./support.mjs";

const file = process.env.ATTN_PAGE;
const onPage = (options, body) => support.onPage(file, options, body);
const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };

// Runs the native program with the words of a line and more arguments.
function native(line, more = [], input = "") {
    const options = { encoding: "utf8", input, env: { ...process.env, LC_ALL: "C" }, maxBuffer: 1 << 28 };
    return spawnSync(support.program, [...line.split(" "), ...more], options);
}
const inStage = (page, stage) =>
    page.waitForFunction(
        (name) => location.hash.startsWith(`#${name}/`) && document.querySelector(".result td"),
        stage
    );
const view = (page, name) => page.click("#tab-" + name);
const output = (page, name) => page.locator(`#panel-${name} pre.output`).textContent();
// Waits until a view shows exactly this text, or the output of the native program.
const showsText = (page, name, text) => expect.poll(() => output(page, name)).toBe(text);
const shows = (page, name, line, more) => showsText(page, name, native(line, more).stdout);
const commandIs = (page, text) => on(page, "#command").toHaveText("attn-walkthrough " + text);
const commandHas = (page, text) => on(page, "#command").toContainText(text);
const cellIs = (page, text) => on(page, ".result td.at").toHaveText(text);
// The list is filled after the first page is shown.
const stagesKnown = (page) => page.locator("#stage option").first().waitFor({ state: "attached" });
async function typed(page, id, text) {
    await page.fill("#" + id, text);
    await page.waitForTimeout(250);
}
async function openedOptions(page) {
    for (const one of ["#own", "#more-options"])
        if ((await page.locator(one + "[open]").count()) === 0) await page.click(one + " > summary");
}
async function diagnosed(page, paste) {
    await page.fill("#paste", paste);
    await page.click("#diagnose");
    await on(page, "#panel-diagnose pre.output").toContainText("keys");
}
async function download(page, selector) {
    const [got] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    return readFileSync(await got.path());
}
async function copied(page) {
    await page.click("#copy");
    await on(page, "#copy").toContainText("Copied");
    return page.evaluate(() => navigator.clipboard.readText());
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

test(
    "all stages come out as JSON with the bytes of the native program",
    onPage({}, async (page) => {
        await page.selectOption("#stage", "all");
        await view(page, "download");
        const bytes = await download(page, "[data-download=json]");
        assert.ok(bytes.toString() === native("all --json -").stdout);
    })
);

test(
    "an option is in the command line, and the text is that of the native program",
    onPage({}, async (page) => {
        await view(page, "text");
        await shows(page, "text", "causal");
        await openedOptions(page);
        await page.fill("#option-seed", "123");
        await page.selectOption("#option-dropout-rng", "mkl");
        await commandIs(page, "causal --seed 123 --dropout-rng mkl");
        await shows(page, "text", "causal --seed 123 --dropout-rng mkl");
        await page.click("#changed button:first-child");
        assert.equal(await page.inputValue("#option-seed"), "");
        await commandIs(page, "causal --dropout-rng mkl");
    })
);

test(
    "every stage can be explored",
    onPage({}, async (page) => {
        await stagesKnown(page);
        const stages = await page.locator("#stage option").evaluateAll((all) => all.map((one) => one.value));
        assert.ok(stages.length > 20, String(stages));
        for (const stage of stages.slice(0, -1)) {
            await page.selectOption("#stage", stage);
            await inStage(page, stage);
            assert.equal(await page.isVisible("#error"), false);
        }
    })
);

test(
    "an own sentence is walked; what is wrong with it is said beside it and nothing typed is lost",
    onPage({}, async (page) => {
        await page.click("#own summary");
        assert.equal(await page.inputValue("#tokens"), "Your journey starts with one step");
        await typed(page, "tokens", "Your <b>words</b>");
        await on(page, "#own-wrong").toContainText("no vector yet: <b>words</b>");
        // It is said once, and the shown page is marked as that of the earlier sentence.
        assert.equal((await page.innerText("body")).split("no vector yet").length, 2);
        await page.waitForSelector("#panel-page.stale");
        await typed(page, "embeddings", "0.5, 1\nx 2");
        await on(page, "#own-wrong").toHaveText(/Row 2 .*x 2/);
        for (const [language, message] of [
            ["zh", "第 2 行"],
            ["en", "Row 2"]
        ]) {
            await page.click(`[data-language=${language}]`);
            await on(page, "#own-wrong").toContainText(message);
            await on(page, "html").toHaveAttribute("lang", language);
        }
        assert.equal(await page.inputValue("#embeddings"), "0.5, 1\nx 2");
        await view(page, "diagnose");
        await commandIs(page, "diagnose paste.txt");
        await view(page, "page");
        await typed(page, "embeddings", "0.5, 1");
        await page.click("#fill-random");
        await on(page, ".result th[scope=row] bdi >> nth=1").toHaveText("<b>words</b>");
        assert.equal(await page.textContent("#own-wrong"), "");
        assert.equal(await page.isVisible("#error"), false);
        await commandIs(page, "causal --input lesson.json --out page.html");
        const rows = (await page.inputValue("#embeddings"))
            .split("\n")
            .map((row) => row.replace(",", "").split(" ").map(Number));
        const lesson = { tokens: ["Your", "<b>words</b>"], embeddings: rows };
        await view(page, "text");
        await shows(page, "text", "causal --input", [written("lesson.json", JSON.stringify(lesson))]);
        await page.click("#forget-own");
        await commandIs(page, "causal");
    })
);

test(
    "files are input and weights, by choice and by dropping",
    onPage({}, async (page) => {
        const weights = inFolder("权重 1.json");
        const { steps } = JSON.parse(
            native("linear --step W_query --step W_key --step W_value --seed 5 --json -").stdout
        ).stages[0];
        written(
            "权重 1.json",
            JSON.stringify(Object.fromEntries(steps.map(({ name, data }) => [name + ".weight", data])))
        );
        const lesson = (last) => `{"tokens": ["a", "b"], "embeddings": [[1, 2, 3], [4, 5, ${last}]]}`;
        const input = written("输入 1.json", lesson(7));
        await page.setInputFiles("#files", [input, weights]);
        await commandHas(page, "--input '输入_1.json' --weights '权重_1.json'");
        await view(page, "text");
        await shows(page, "text", "causal --input", [input, "--weights", weights]);
        await view(page, "download");
        await page.click("#file-list button");
        const npz = await download(page, "[data-download=npz]");
        assert.equal(npz.subarray(0, 2).toString(), "PK");
        const data = await page.evaluateHandle((text) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "-rf <b>.json"));
            return transfer;
        }, lesson(6));
        await page.dispatchEvent("#drop", "drop", { dataTransfer: data });
        await commandHas(page, "--input rf__b_.json");
        const named = { name: "__proto__", mimeType: "", buffer: readFileSync(weights) };
        await page.setInputFiles("#files", named);
        await commandHas(page, "--weights __proto__");
        await view(page, "text");
        await shows(page, "text", "causal --input", [written("rf.json", lesson(6)), "--weights", weights]);
        await view(page, "page");
        await on(page, ".result th[scope=row] bdi >> nth=1").toHaveText("b");
    })
);

test(
    "the names of tensors say whether an .npz is input or weights, and a pickle is refused as one",
    onPage({}, async (page) => {
        const [input, weights] = ["x.npz", "w.npz"].map(inFolder);
        const script = `import numpy, sys
numpy.savez(sys.argv[1], hidden=[[1, 2, 3], [4, 5, 7]])
weights = {"W_" + name: [[1, 2], [3, 4], [5, 6]] for name in ("query", "key", "value")}
numpy.savez_compressed(sys.argv[2], **weights)`;
        execFileSync("/usr/bin/python3", ["-c", script, input, weights]);
        await page.selectOption("#stage", "trainable");
        await inStage(page, "trainable");
        await page.setInputFiles("#files", [input, weights]);
        await commandHas(page, "--input x.npz --weights w.npz");
        await view(page, "text");
        const both = [input, "--weights", weights];
        for (const [use, files] of [
            ["weights", both],
            ["", [input]], // not used
            ["weights", both]
        ]) {
            await page.selectOption("#file-list select >> nth=1", use);
            await shows(page, "text", "trainable --input", files);
        }
        const zipped = readFileSync(input);
        for (let at; (at = zipped.indexOf(".npy")) >= 0; ) zipped[at] = 0x5f;
        for (const [name, buffer] of [
            ["model.pt", Buffer.from([0x80, 2, 0x7d, 0x2e])],
            ["zip.pt", zipped]
        ]) {
            await page.setInputFiles("#files", { name, mimeType: "", buffer });
            await on(page, "#error").toHaveText(new RegExp(`^${name}:.*pickle`));
        }
    })
);

test(
    "a paste is diagnosed as the native program does",
    onPage({}, async (page) => {
        const paste = written("paste.txt", native("causal --step attn_weights --quiet").stdout);
        await view(page, "diagnose");
        await page.fill("#paste", readFileSync(paste, "utf8"));
        await page.click("#diagnose");
        await shows(page, "diagnose", "diagnose", [paste]);
        assert.match(await output(page, "diagnose"), /attn_weights/);
        await commandIs(page, "diagnose paste.txt");
        await page.check("#only-stage");
        await commandIs(page, "diagnose causal paste.txt");
        await page.uncheck("#only-stage");
        await page.fill("#paste", "");
        await showsText(page, "diagnose", "");
        await page.click("#diagnose");
        await on(page, "#error").toContainText("First paste a tensor");
        await page.fill("#paste", "no tensor");
        await page.click("#diagnose");
        await on(page, "#error").toBeVisible();
        assert.equal(await page.inputValue("#paste"), "no tensor");
    })
);

test(
    "the numbers are compared as the native program does, without the options that a comparison has not",
    onPage({}, async (page) => {
        await openedOptions(page);
        await page.fill("#option-seed", "123");
        await page.selectOption("#option-code", "numpy");
        await view(page, "compare");
        await commandIs(page, "compare causal --seed 123");
        await shows(page, "compare", "compare causal --seed 123");
    })
);

test(
    "what is chosen is downloaded in every format",
    onPage({}, async (page) => {
        await view(page, "download");
        await page.click("[data-download=svg]");
        await on(page, "#error").toContainText("one step: choose it");
        await on(page, "#one-step").toBeFocused();
        await page.selectOption("#one-step", "attn_weights");
        for (const suffix of ["json", "safetensors", "html", "ipynb", "md", "tex", "csv", "svg"]) {
            const bytes = await download(page, `[data-download=${suffix}]`);
            const expected = native("causal --step attn_weights --out -." + suffix).stdout;
            assert.equal(bytes.toString(), expected, suffix);
        }
    })
);

test(
    "a cell pointed out in the page is explained, down to the embeddings",
    onPage({}, async (page) => {
        await goTo(page, "#causal/context_vec");
        await on(page, "h2 code").toHaveText("context_vec");
        await page.locator(cells).nth(3).click();
        await view(page, "explain");
        assert.equal(await page.inputValue("#cell"), "context_vec[1][1]");
        await page.fill("#depth", "2");
        await shows(page, "explain", "explain causal context_vec[1][1] --depth 2");
        await page.click("#bottom");
        await shows(page, "explain", "explain causal context_vec[1][1] --depth 99");
        await typed(page, "cell", "context_vec[9][9]");
        const refusal = native("explain causal context_vec[9][9] --depth 99").stderr;
        await on(page, "#error").toHaveText(refusal.replace("attn-walkthrough: ", ""));
        await typed(page, "cell", "0.5517");
        await shows(page, "explain", "explain causal 0.5517");
    })
);

test(
    "an edit in the page is computed by the program, and is in the command line",
    onPage({}, async (page) => {
        await page.click(".strip a >> nth=0");
        await page.locator(cells).nth(3).click();
        await page.fill(".edit input >> nth=0", "0,75");
        await commandHas(page, "--set 'inputs[1][0]=0.75'");
        // The field in use stays.
        assert.equal(await page.evaluate(() => document.activeElement.dataset.edit), "text");
        await cellIs(page, "0.7500");
        const { steps } = JSON.parse(native("causal --set inputs[1][0]=0.75 --json -").stdout).stages[0];
        for (const step of steps) {
            await page.evaluate((name) => {
                location.hash = location.hash.replace(/\/.*?(?=\?)/, "/" + name);
            }, step.name);
            await on(page, "h2 code").toHaveText(step.name);
            assertNumbers(await support.numbersOf(page), step);
        }
        await page.goto(page.url().replace("/context_vec_dropped", "/inputs/1,0"));
        await page.reload();
        await on(page, ".result td.held").toHaveText("0.7500");
        await on(page, "#changed").toContainText("inputs[1][0] = 0.75");
        await page.click("#changed button");
        await cellIs(page, "0.5500");
        await page.click("#undo");
        await cellIs(page, "0.7500");
    })
);

test(
    "a number that a step copies is edited where it was given",
    onPage({ hash: "#multi-head/batch/0,1,0" }, async (page) => {
        await on(page, ".edit label").toHaveText(/^inputs\[1\]\[0\]/);
        await page.fill(".edit input >> nth=0", "0.75");
        await cellIs(page, "0.7500");
        await commandHas(page, "--set 'inputs[1][0]=0.75'");
        await page.click("#undo");
        await cellIs(page, "0.5500");
    })
);

test(
    "a slider is dragged with the mouse, and the numbers follow while it is",
    onPage({}, async (page) => {
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
        assert.ok(seen.size >= 5, [...seen].join());
        await page.click("#undo"); // the whole way of the slider
        await cellIs(page, "0.5500");
        assert.equal(await page.isVisible("#undo"), false);
        await slider.focus();
        assert.ok(await slider.evaluate((one) => one.isConnected && document.activeElement === one));
        await page.keyboard.press("Home");
        await on(page, ".result td.at").not.toHaveText("0.5500");
    })
);

test(
    "a number that is refused is said beside the field, and the view stays",
    onPage({}, async (page) => {
        await page.click(".strip a >> nth=0");
        await page.fill(".edit input >> nth=0", "x");
        await on(page, ".refusal").toContainText("“x” is not a number");
        await page.fill(".edit input >> nth=0", "1e39");
        await on(page, ".refusal").toHaveText(/1e\+?39/);
        await cellIs(page, "0.5500");
        assert.doesNotMatch(await page.textContent("#command"), /--set/);
    })
);

test(
    "the address has stage, options and sentence; back, forward and reload follow it",
    onPage({}, async (page) => {
        const hasToken = () => on(page, ".result th[scope=row] bdi >> nth=1").toHaveText("words");
        await page.selectOption("#stage", "multi-head");
        await inStage(page, "multi-head");
        await openedOptions(page);
        await typed(page, "option-seed", "5");
        await expect(page).toHaveURL(/seed=5/);
        await typed(page, "tokens", "two words");
        await page.click("#fill-zeros");
        await expect(page).toHaveURL(/tokens=two/);
        await page.reload();
        await hasToken();
        await commandHas(page, "multi-head --seed 5 --input lesson.json");
        await page.selectOption("#stage", "causal");
        await inStage(page, "causal");
        await hasToken(); // the user's own sentence stays
        await page.goBack();
        await inStage(page, "multi-head");
        await page.goForward();
        await inStage(page, "causal");
    })
);

test(
    "the quiz asks, judges and counts as the native program",
    onPage({}, async (page) => {
        await view(page, "quiz");
        await typed(page, "questions", "2");
        await typed(page, "quiz-seed", "5");
        const asked = native("quiz causal --count 2 --quiz-seed 5", [], "?\n0.5\n1\n").stdout;
        const [question, hinted, judged] = asked.split(/^> .*\n/m).map((one) => one.trim());
        const asks = (text) => showsText(page, "quiz", text);
        const answer = async (text) => {
            await page.fill("#answer", text);
            await page.keyboard.press("Enter");
            await page.waitForSelector("#panel-quiz:not([aria-busy])");
        };
        await asks(question);
        for (const [text, hint] of [
            ["?", hinted.split("\n").slice(0, -2).join("\n")],
            ["many", '"many" is not a number; write one such as 0.5517 or -inf.'],
            ["", "Press Enter again to see the answer"]
        ]) {
            await answer(text);
            await on(page, "#hint").toContainText(hint);
            await asks(question); // the question stays above its hint, and is asked again
            assert.equal(await page.isVisible("#verdict"), false);
        }
        await page.click("#quiz-restart");
        await on(page, "#hint").toBeHidden();
        await page.click("#answer-hint");
        await on(page, "#hint").toBeVisible();
        const { y } = await page.locator("#hint").boundingBox();
        assert.ok(y > (await page.locator("#panel-quiz pre.output").boundingBox()).y);
        assert.doesNotMatch(await page.textContent("#hint"), /attn-walkthrough explain/);
        await page.click("#answer-explain");
        await on(page, "#tab-explain").toHaveAttribute("aria-selected", "true");
        assert.equal(await page.inputValue("#cell"), "row_sums[4][0]");
        await shows(page, "explain", "explain causal row_sums[4][0]");
        await view(page, "quiz");
        await answer("0.5");
        const [verdict, ...next] = judged.split("\n\n");
        await asks(next.join("\n\n"));
        assert.equal(await page.textContent("#verdict"), verdict);
        await on(page, "#answer").toBeFocused();
        await page.fill("#answer", "1");
        await page.click("#answer-go");
        await asks("0 of 2 right.");
        assert.equal(await page.isVisible("#answer"), false);
        await page.click("#quiz-restart");
        await asks(question);
    })
);

test(
    "the command and the own sentence can be taken along",
    onPage(clipboard, async (page) => {
        await view(page, "download");
        assert.equal(await page.isVisible("#download-lesson"), false);
        await page.click("#own summary");
        await typed(page, "tokens", "Your journey starts with one pace");
        await page.click("#fill-zeros");
        const { embeddings } = JSON.parse(await download(page, "#download-lesson"));
        assert.deepEqual(embeddings.slice(4), [
            [0.77, 0.25, 0.1],
            [0, 0, 0]
        ]);
        assert.equal(await copied(page), "attn-walkthrough causal --input lesson.json");
        await page.click("#forget-own");
        await on(page, "#download-lesson").toBeHidden();
        assert.equal(await page.isVisible("#forget-own"), false);
    })
);

test(
    "at 400 px: the command is copied, and an open form leaves the arithmetic in sight",
    onPage({ width: 400, ...clipboard }, async (page) => {
        for (const state of ["folded", "open"]) {
            assert.ok(await page.isVisible("#copy"), state);
            assert.equal(await copied(page), "attn-walkthrough causal --out page.html", state);
            const { y, height } = await page.locator(".sum .own").boundingBox();
            assert.ok(y > 0 && y + height <= 800, `${state}: ${y} to ${y + height}`);
            await on(page, "#copy").toContainText("Copy as command");
            if (state === "folded") await page.click("#own summary");
        }
    })
);

test(
    "at 1280 px: no title of a stage is cut, and numbers stay in sight below the open form",
    onPage({}, async (page) => {
        await stagesKnown(page);
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
    })
);

test(
    "a message of the program stands where the reader is, marks the field, and goes when it is mended",
    onPage({}, async (page) => {
        await openedOptions(page);
        await typed(page, "option-seed", "many");
        const refusal = native("causal --seed many").stderr.replace("attn-walkthrough: ", "");
        await on(page, "#error").toHaveText(refusal);
        await on(page, "#option-seed").toHaveAttribute("aria-invalid", "true");
        assert.equal(await page.inputValue("#option-seed"), "many");
        await typed(page, "option-seed", "5");
        await on(page, "#error").toBeHidden();
        assert.equal(await page.getAttribute("#option-seed", "aria-invalid"), null);
    })
);

test(
    "long work shows that it goes on, can be stopped, and loses nothing",
    onPage({}, async (page) => {
        await openedOptions(page);
        await view(page, "diagnose");
        const paste = native("causal --seed 99991 --step keys --quiet").stdout;
        await page.fill("#paste", paste);
        await page.check("#option-search-seeds");
        await page.click("#diagnose");
        await on(page, "#busy").toBeVisible();
        assert.match(await page.textContent("#elapsed"), /Working, \d/);
        await page.click("#stop");
        await on(page, "#busy").toBeHidden();
        assert.equal(await page.inputValue("#paste"), paste);
        assert.match(await page.textContent("#spoken"), /Stopped/);
        await view(page, "text");
        await on(page, "#panel-text pre.output").toContainText("causal 1/20");
    })
);

test(
    "a program that breaks down is started again, and nothing typed is lost",
    onPage({}, async (page) => {
        await view(page, "diagnose");
        await page.fill("#paste", native("causal --step keys --quiet").stdout);
        await page.evaluate(() => {
            window.attnEngine.worker.onerror({ message: "out of memory" });
        });
        await diagnosed(page, await page.inputValue("#paste"));
    })
);

test(
    "by keyboard alone: a stage, an option, a view, an answer",
    onPage({}, async (page) => {
        // Presses a key until the element, or one just inside it, is in use.
        const pressedTo = async (id, key = "Tab") => {
            const isThere = (wanted) =>
                [document.activeElement, document.activeElement.parentElement].some(
                    (one) => one?.id === wanted
                );
            for (let i = 0; i < 60; ++i) {
                if (await page.evaluate(isThere, id)) return;
                await page.keyboard.press(key);
            }
            assert.fail("no way to " + id);
        };
        await stagesKnown(page);
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter"); // the skip link leads to the table
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "gridcell");
        await page.keyboard.press("ArrowDown");
        await on(page, "h2").toContainText("What may starts look at");
        await page.evaluate(() => document.activeElement.blur());
        await pressedTo("stage");
        await page.keyboard.press("ArrowDown");
        await inStage(page, "causal-batch");
        for (const id of ["own", "more-options"]) {
            await pressedTo(id);
            await page.keyboard.press("Enter");
        }
        await pressedTo("option-seed");
        await page.keyboard.type("7");
        await page.waitForTimeout(300);
        await pressedTo("tab-page", "Shift+Tab");
        for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
        await on(page, "#tab-quiz").toHaveAttribute("aria-selected", "true");
        await commandIs(page, "quiz causal-batch --seed 7 --count 10 --quiz-seed 123");
        await pressedTo("answer");
        await page.keyboard.type("1");
        await page.keyboard.press("Enter");
        await on(page, "#verdict").toBeVisible();
    })
);

test(
    "Chinese: the page's words, the program's, and the command line",
    onPage({ locale: "zh-CN" }, async (page) => {
        await on(page, "html").toHaveAttribute("lang", "zh");
        await on(page, "[data-do=next]").toHaveAttribute("aria-label", "下一步");
        await commandHas(page, "--lang zh");
        await view(page, "text");
        await shows(page, "text", "causal --lang zh");
        await page.click("[data-language=en]");
        await view(page, "page");
        await on(page, "[data-do=next]").toHaveAttribute("aria-label", "Next step");
        await on(page, "#command").not.toContainText("--lang");
    })
);

test("axe finds nothing, and nothing sticks out: wide and at 400 px, light and dark, in every view", async ({
    using
}) => {
    for (const colorScheme of ["light", "dark"]) {
        for (const width of [1280, 400]) {
            await using(file, { colorScheme, width, reducedMotion: "reduce" }, async (page) => {
                const isClean = async (state) => {
                    const where = `${colorScheme} ${width} ${state}`;
                    await page.waitForTimeout(200);
                    assert.deepEqual(await support.violations(page), [], where);
                    await assertFits(page, width, where);
                };
                await page.click(".strip a >> nth=0");
                await page.locator(cells).nth(3).click();
                await page.fill(".edit input >> nth=0", "x");
                await page.click(".all-steps summary");
                await isClean("a number refused");
                await page.click("#own summary");
                const empty = { name: "a.json", mimeType: "", buffer: Buffer.from("{}") };
                await page.setInputFiles("#files", empty);
                await typed(page, "tokens", "some new words");
                await isClean("a sentence without vectors");
                await page.click("#forget-own");
                await page.click("#file-list button");
                await openedOptions(page);
                for (const name of ["page", "text", "compare", "explain", "diagnose", "quiz", "download"]) {
                    await view(page, name);
                    if (name === "text") await typed(page, "option-seed", "x");
                    if (name === "explain") await typed(page, "option-seed", "");
                    if (name === "diagnose")
                        await diagnosed(page, native("causal --step keys --quiet").stdout);
                    if (name === "quiz") {
                        await on(page, "#panel-quiz pre.output").not.toBeEmpty();
                        for (const text of ["1", "?"]) {
                            await page.fill("#answer", text);
                            await page.click("#answer-go");
                            await page.waitForTimeout(200);
                        }
                        await on(page, "#hint").toBeVisible();
                    }
                    await isClean(name);
                }
                const moving = await page.evaluate(() =>
                    [...document.querySelectorAll("*")].filter(
                        (one) => getComputedStyle(one).transitionDuration !== "0s"
                    )
                );
                assert.deepEqual(moving, []);
            });
        }
    }
});
