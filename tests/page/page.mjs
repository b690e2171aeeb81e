// The page in a browser, as a reader uses it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { browser, check, figures, finish, folder, program, violations } from "./checks.mjs";

const run = (...options) => execFileSync(program, options, { encoding: "utf8", maxBuffer: 1 << 28 });
function export_(name, ...options) {
    const file = join(folder, name + ".html");
    run(...options, "--out", file);
    return file;
}
function lesson(name, tokens) {
    const file = join(folder, name + ".json");
    const embeddings = tokens.map((_, i) => [0, 1, 2].map((k) => ((i * 37 + k * 61) % 100) / 100));
    writeFileSync(file, JSON.stringify({ tokens, embeddings }));
    return file;
}

Object.assign(figures, { contrast: 21, cells: 0 });

// A page of its own context. What it says to the console, throws, or asks of the network is kept.
async function open(file, { hash = "", width = 1280, height = 800, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, ...options });
    const page = await context.newPage();
    page.said = [];
    page.on("console", (message) => page.said.push(message.text()));
    page.on("pageerror", (error) => page.said.push(String(error)));
    page.on("dialog", (dialog) => { page.said.push("dialog " + dialog.message()); dialog.dismiss(); });
    page.on("request", (request) => {
        if (request.url().split("#")[0] !== "file://" + file) page.said.push("request " + request.url());
    });
    await page.goto("file://" + file + hash);
    return page;
}
async function close(page) {
    await page.context().close();
}
async function using(file, options, body) {
    const page = await open(file, options);
    try {
        await body(page);
        assert.deepEqual(page.said, []);
    } finally {
        await close(page);
    }
}
const cells = ".result td[role=gridcell]";  // of the step that is shown
const plain = (text) => text.replaceAll("−", "-");
const number = (cell) => cell.evaluate((td) => td.firstChild.textContent.replaceAll("−", "-"));
const shownStep = (page) => page.evaluate(() => document.querySelector(".step.on").id);
const pressed = (page, id) => page.getAttribute("#" + id, "aria-pressed");

// The contrast of every number, and of all other text, with what lies behind it.
async function contrast(page) {
    const worst = await page.evaluate(() => {
        const channel = (x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        const parse = (text) => { const n = text.match(/[\d.]+/g).map(Number); return n.length > 3 && n[3] === 0 ? null : n.slice(0, 3); };
        const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
        const known = new Map();  // numbers by the thousand stand on few grounds
        const grounds = (element) => {
            if (!element) return [[255, 255, 255]];
            if (!known.has(element)) {
                const style = getComputedStyle(element);
                const image = style.backgroundImage.match(/rgba?\([^)]*\)/g);
                const colour = parse(style.backgroundColor);
                known.set(element, image ? image.map(parse).filter(Boolean) : colour ? [colour] : grounds(element.parentElement));
            }
            return known.get(element);
        };
        let least = { ratio: 21, text: "" };
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            if (!walker.currentNode.data.trim() || !element.offsetParent || element.disabled || element.closest(":disabled, math")) continue;
            const ink = luminance(parse(getComputedStyle(element).color));
            for (const ground of grounds(element)) {
                const paper = luminance(ground);
                const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
                if (ratio < least.ratio) least = { ratio, text: element.outerHTML.slice(0, 90) };
            }
        }
        return least;
    });
    figures.contrast = Math.min(figures.contrast, worst.ratio);
    return worst;
}

// What arithmetic as shown in the panel comes to, read here independently of the page's own script.
function evaluated(text) {
    const source = text.replaceAll("−", "-").replaceAll("·", "*").replaceAll("∞", "Infinity").replaceAll("-inf", "(-Infinity)")
        .replace(/\b(exp|sqrt|abs|max)\(/g, "Math.$1(").replace(/\b(\d+)\.(?!\d)/g, "$1.0");
    assert.match(source, /^[-+*/(),.\d\sA-Za-z]*$/, text);
    return Function(`"use strict"; const nan = NaN; return (${source});`)();
}
function close_(a, b) {
    return Object.is(a, b) || Math.abs(a - b) <= 2e-5 * Math.max(Math.abs(a), Math.abs(b), 0.01);
}

const causal = export_("causal", "causal");
const trace = JSON.parse(run("causal", "--json", "-"));
const steps = trace.stages[0].steps;
const words = (n) => Array.from({ length: n }, (_, i) => "w" + i);
const hostile = ["</script><script>window.hacked=1</script>", "<!--<script>", "\"><img src=x onerror=window.hacked=1>", "' onmouseover=window.hacked=1 x='",
    "&lt;b&gt;", "\u2028\u2029", "\u202eabc\u202c", "\u0000\u001b[2J", "]]>", "{{title}}", "a".repeat(500)];
const pages = {
    causal,
    complexity: export_("complexity", "complexity"),
    all: export_("all", "all"),
    batch: export_("batch", "causal-batch", "multi-head", "--batch", "2"),
    hostile: export_("hostile", "causal", "--input", lesson("hostile", hostile)),
    chinese: export_("chinese", "causal", "--lang", "zh", "--input", lesson("chinese", ["你的", "旅程", "从", "一步", "开始"])),
    sixty_four: export_("sixty_four", "causal", "--input", lesson("sixty_four", words(64))),
    thousand: export_("thousand", "causal", "--input", lesson("thousand", words(1024))),
};

await check("the causal page has at most 140 kB, and the same bytes again", () => {
    figures.bytes = statSync(causal).size;
    assert.ok(figures.bytes <= 140000, String(figures.bytes));
    assert.deepEqual(readFileSync(causal), readFileSync(export_("again", "causal")));
});

await check("the policy allows the page's own script and style and nothing else", () => {
    const html = readFileSync(causal, "utf8");
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
    const script = /<script>([^]*?)<\/script>/.exec(html)[1];
    const style = /<style>([^]*?)<\/style>/.exec(html)[1];
    assert.equal(policy, `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'`);
});

await check("a script or handler put into the page does not run", () => using(causal, {}, async (page) => {
    const ran = await page.evaluate(async () => {
        const script = document.createElement("script");
        script.textContent = "window.ran = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = 1'>");
        await new Promise((done) => setTimeout(done, 100));
        return window.ran;
    });
    assert.equal(ran, undefined);
    assert.ok(page.said.length >= 2);  // the browser tells of what it refused
    page.said.length = 0;
}));

await check("every step is reached with the arrow keys, forth and back", () => using(causal, {}, async (page) => {
    for (let i = 0; i < steps.length; ++i) {
        assert.equal(await shownStep(page), "causal/" + steps[i].name);
        assert.equal(await page.locator("article:visible").count(), 1);
        await page.keyboard.press("ArrowRight");
    }
    for (let i = steps.length - 1; i > 0; --i) {
        assert.equal(await shownStep(page), "causal/" + steps[i].name);
        await page.keyboard.press("ArrowLeft");
    }
    assert.equal(await shownStep(page), "causal/inputs");
}));

await check("every step is reached with the Tab and Enter keys alone", () => using(causal, {}, async (page) => {
    const seen = new Set([await shownStep(page)]);
    for (let i = 0; i < 80 && (await page.evaluate(() => document.activeElement.id)) !== "next"; ++i) await page.keyboard.press("Tab");
    for (let i = 1; i < steps.length; ++i) {
        await page.keyboard.press("Enter");
        seen.add(await shownStep(page));
    }
    assert.equal(seen.size, steps.length);
}));

await check("the address names the step, the browser's back button leads back", () => using(causal, { hash: "#causal/mask" }, async (page) => {
    assert.equal(await shownStep(page), "causal/mask");
    await page.click("#next");
    await page.waitForFunction(() => location.hash === "#causal/masked");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector(".step.on").id === "causal/mask");
    await page.click("#map a[href='#causal/context_vec']");
    await page.waitForFunction(() => document.querySelector(".step.on").id === "causal/context_vec");
}));

await check("without a script every number of the trace is in a table with headings", () => using(causal, { javaScriptEnabled: false }, async (page) => {
    let cells = 0;
    for (const step of steps) {
        const article = page.locator(`[id="causal/${step.name}"]`);
        assert.ok(await article.isVisible());
        const rows = (await article.locator("tbody tr").allTextContents()).length;
        assert.equal(rows, step.shape[0]);
        const texts = (await article.locator("tbody td").allTextContents()).map((text) => text.trim());
        const printed = step.printed.replace(/[^]*?\(/, "").match(/-?(?:inf|nan|\d+\.\d*(?:e[-+]\d+)?)/g);
        assert.deepEqual(texts, printed, step.name);
        assert.equal(await article.locator("caption").count(), 1);
        assert.equal(await article.locator("th[scope=row]").count(), rows);
        assert.equal(await article.locator("th[scope=col]").count(), step.shape[1]);
        cells += texts.length;
    }
    assert.equal(cells, steps.reduce((sum, step) => sum + step.shape.reduce((a, b) => a * b, 1), 0));
    assert.equal(await page.locator(".controls").isVisible(), false);
    assert.equal(await page.locator(".formula:not([hidden]) math").count(), steps.filter((step) => step.formula).length);
}));

// Goes through the cells of each step, and reads the panel.
async function checkArithmetic(page, every) {
    if (await page.locator("#tools").isHidden()) await page.click("#view");
    await page.click("#precision button:last-child");
    const [first, count] = await page.evaluate(() => {
        const articles = [...document.querySelectorAll("article.step")];
        return [articles.findIndex((one) => one.classList.contains("on")), articles.length];
    });
    for (let i = first; i < count; ++i) {
        const all = page.locator(cells);
        const places = await all.count();
        for (let place = (i * 7) % every; place < places; place += every) {
            const cell = all.nth(place);
            await cell.evaluate((td, x) => td.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, clientX: x + 1 })), place);
            const lines = (await page.locator("#panel-cell .line").allTextContents()).map(plain);
            for (const line of lines) {
                const [left, right] = line.replace(/^[^:=]*: /, "").split(" = ");
                if (left.includes("…")) continue;
                assert.ok(close_(evaluated(left), evaluated(right)), `${await shownStep(page)}: ${line}`);
            }
            const shown = await page.locator("#panel-cell strong").textContent();
            assert.equal(plain(shown), await number(cell));
            figures.cells += 1;
        }
        if (i + 1 < count) await page.keyboard.press("ArrowRight");
    }
}
await check("the arithmetic of sampled cells comes to the cells", () => using(causal, {}, (page) => checkArithmetic(page, 5)));

await check("a cell's operands are marked beside it, and its whole path on the map", () =>
    using(causal, { hash: "#causal/attn_scores/1,3" }, async (page) => {
        assert.deepEqual((await page.locator(".bench td.from").allTextContents()).map(plain).sort(), ["-0.1054", "-0.2724", "-0.4471", "0.9091"]);
        assert.equal(await page.locator(".result td.at.held").count(), 1);
        assert.deepEqual(await page.locator(".result th.at bdi").allTextContents(), ["with", "journey"]);
        assert.deepEqual(await page.locator("#map a.lit code").allTextContents(), ["inputs", "W_query", "W_key", "queries", "keys", "attn_scores"]);
        assert.equal(await page.locator("#map a.dim").count(), 14);
    }));

await check("a hold ends with its step, and nothing stays marked", () => using(causal, { hash: "#causal/attn_scores/1,3" }, async (page) => {
    await page.click("#next");
    await page.waitForFunction(() => location.hash === "#causal/attn_weights");
    assert.equal(await page.locator(".bench .at, .bench .from, .bench .deep, .bench .held").count(), 0);
    assert.equal(await page.locator("#panel-cell strong").count(), 0);
}));

await check("rows and columns of a product are aligned with those of its result", () => using(causal, { hash: "#causal/attn_scores" }, async (page) => {
    const boxes = await page.evaluate(() => ["figure:nth-of-type(1)", "figure:nth-of-type(2)", ".result"].map((of) =>
        [...document.querySelectorAll(`.bench ${of} tbody tr`)].map((row) => [...row.cells].slice(1).map((cell) => { const { x, y } = cell.getBoundingClientRect(); return [Math.round(x), Math.round(y)]; }))));
    const [right, left, result] = boxes;
    assert.deepEqual(right[0].map(([x]) => x), result[0].map(([x]) => x));
    assert.deepEqual(left.map((row) => row[0][1]), result.map((row) => row[0][1]));
}));

await check("the arithmetic is under the result and over nothing, wide, narrow and enlarged", async () => {
    for (const [width, height] of [[1280, 800], [400, 800], [640, 400]]) {
        await using(causal, { width, height, hash: "#causal/attn_scores/5,5" }, async (page) => {
            const [result, panel] = await page.evaluate(() => [".result", ".panel"].map((of) => document.querySelector(of).getBoundingClientRect().toJSON()));
            assert.ok(panel.top >= result.bottom, `${width}: ${panel.top} < ${result.bottom}`);
        });
    }
});

await check("an operand leads to its own cell", () => using(causal, { hash: "#causal/context_vec/2,0" }, async (page) => {
    await page.locator("#panel-cell .line button").first().click();
    await page.waitForFunction(() => location.hash === "#causal/attn_weights_causal/2,0");
    assert.equal(await page.locator("#panel-cell b").textContent(), "attn_weights_causal[2, 0]");
}));

await check("the precision can be 2, 4 or full", () => using(causal, { hash: "#causal/attn_scores" }, async (page) => {
    const first = () => page.locator(cells).first().textContent();
    await page.click("#view");
    const data = steps.find((step) => step.name === "attn_scores").data;
    assert.equal(await first(), "0.2899");
    await page.click("#precision button:nth-child(1)");
    assert.equal(await first(), "0.29");
    await page.click("#precision button:nth-child(3)");
    assert.equal(Number(await first()), data[0][0]);
    await page.click("#precision button:nth-child(2)");
    assert.equal(await first(), "0.2899");
}));

await check("a step is copied as torch.tensor with every digit", async () => {
    const page = await open(causal, { hash: "#causal/masked", permissions: ["clipboard-read", "clipboard-write"] });
    await page.click("#view");
    await page.click("#copy");
    const text = await page.evaluate(() => navigator.clipboard.readText());
    const rows = JSON.parse(text.replace(/^torch\.tensor\(/, "").replace(/\)$/, "").replaceAll("-torch.inf", "\"-Infinity\""));
    assert.deepEqual(rows, steps.find((step) => step.name === "masked").data);
    assert.match(await page.textContent("#said"), /masked/);
    assert.deepEqual(page.said, []);
    await close(page);
});

await check("row sums stand behind the rows", () => using(causal, { hash: "#causal/attn_weights_causal" }, async (page) => {
    await page.click("#view");
    await page.click("#sums");
    assert.equal(await pressed(page, "sums"), "true");
    assert.deepEqual(await page.locator(".result td.sum").allTextContents(), Array(6).fill("1.0000"));
    await page.click("#sums");
    assert.equal(await page.locator("td.sum").count(), 0);
}));

await check("cells that agree with a printed table have a tick, others none", () => using(causal, { hash: "#causal/attn_weights_causal" }, async (page) => {
    await page.click("#view");
    await page.click("#ticks");
    assert.equal(await page.locator(".result td.ok").count(), 36);
    assert.match(await page.textContent(".telling"), /36 of 36 numbers agree with document 000/);
    await page.click("#variants button:nth-child(2)");
    assert.equal(await page.locator(".result td.ok").count(), 0);
    assert.match(await page.textContent(".telling"), /30 of 36 numbers change.*not these numbers/);
    await page.click("#variants button:nth-child(1)");
    await page.click("#map a[href='#causal/row_sums']");
    await page.waitForFunction(() => document.querySelector(".step.on").id === "causal/row_sums");
    assert.equal(await page.locator(".result td.ok").count(), 0);
}));

await check("numbers are hidden until the reader has predicted them, and what is no number is not judged", () =>
    using(causal, { hash: "#causal/attn_scores" }, async (page) => {
        await page.click("#view");
        await page.click("#predict");
        assert.deepEqual(await page.locator(cells).allTextContents(), Array(36).fill("?"));
        await page.locator(cells).nth(0).click();
        assert.equal(await page.textContent("#panel-cell strong"), "?");
        await page.fill("#panel-cell input", "a third");
        await page.keyboard.press("Enter");
        assert.equal(await page.locator(cells).nth(0).textContent(), "?");
        assert.match(await page.textContent("#panel-cell"), /“a third” is no number/);
        await page.fill("#panel-cell input", "0,3");
        await page.keyboard.press("Enter");
        assert.equal(await page.locator(cells).nth(0).textContent(), "0.2899");
        assert.match(await page.textContent("#panel-cell"), /0\.3, off by 0\.0101/);
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "gridcell");
        assert.equal(await page.locator(cells).nth(1).textContent(), "?");
        await page.click("#predict");
        assert.equal(await page.locator(cells).nth(1).textContent(), "0.0716");
    }));

await check("mask, scaling and dropout can be switched off, before and after shown, on the map too", () =>
    using(causal, { hash: "#causal/attn_weights_causal" }, async (page) => {
        const variants = page.locator("#variants button");
        assert.deepEqual(await variants.allTextContents(), ["as it is", "mask off", "scaling off", "dropout off"]);
        const cell = page.locator(".result tbody tr:nth-child(2) td").nth(3);
        await variants.nth(1).click();
        assert.equal(await cell.textContent(), "0.14960.0000");
        assert.equal(await page.locator(".result td.changed").count(), 30);
        assert.ok((await page.locator("#map a.changed code").allTextContents()).includes("context_vec"));
        assert.ok(!(await page.locator("#map a.changed code").allTextContents()).includes("queries"));
        assert.ok(await page.locator("#map a.cut").count() >= 1);
        assert.match(page.url(), /\?off=mask$/);
        await checkArithmetic(page, 9);
        await variants.nth(2).click();
        await page.goto("file://" + causal + "#causal/attn_weights_causal?off=scaling");
        assert.match(await page.textContent(".step.on ins"), /torch\.softmax\(masked, dim=-1\)/);
        assert.match(await page.textContent(".step.on del"), /keys\.shape/);
        assert.equal(await page.locator(".step.on .formula:visible").count(), 2);
        await page.goto("file://" + causal + "#causal/attn_weights_causal?off=dropout");
        assert.equal(await page.locator(".result td.changed").count(), 0);
        await page.click("#map a[href='#causal/attn_weights_dropped']");
        assert.ok(await page.locator(".result td.changed").count() > 10);
        await variants.nth(0).click();
        assert.equal(await page.locator("td.changed:visible").count(), 0);
    }));

await check("with the mask off no cell is hatched as masked", () => using(causal, { hash: "#causal/attn_weights_dropped?off=mask" }, async (page) => {
    assert.equal(await page.locator(".result td.m").count(), 0);
    const hatched = page.locator(".result td.x");
    for (const text of await hatched.evaluateAll((all) => all.map((td) => td.firstChild.textContent))) assert.equal(text, "0.0000");
}));

await check("words are those of what is shown: with the mask off none speak of it", () =>
    using(causal, { hash: "#causal/attn_weights_causal" }, async (page) => {
        const variants = page.locator("#variants button");
        const texts = async (step) => [".note", "h3"].map((of) => page.textContent(`[id="causal/${step}"] ${of}`));
        const note = () => page.textContent(".step.on .note");
        const before = await Promise.all(await texts("masked"));
        assert.match(await note(), /Row 0 can only look at itself, so its one weight is 1\./);
        await variants.nth(1).click();
        assert.equal(await note(), "The same weights as masked_simple_norm, in fewer steps.");
        assert.match(await page.textContent("#causal .intro"), /with the mask off it looks at all of them/);
        await page.click("#map a[href='#causal/masked']");
        assert.match(await note(), /With the mask off the scores stay as they are/);
        assert.equal(await page.textContent(".step.on h3"), "The future not masked masked");
        await page.click("#map a[href='#causal/context_vec']");
        assert.match(await note(), /the mean of all values/);
        await variants.nth(0).click();
        assert.deepEqual(await Promise.all(await texts("masked")), before);
        assert.match(await page.textContent("#causal .intro"), /never ahead\. The weights/);
    }));

await check("a given number can be typed or dragged, and all that depends on it follows as PyTorch computes it", () => {
    const changed = { tokens: ["Your", "journey", "starts", "with", "one", "step"],
        embeddings: steps[0].data.map((row, i) => row.map((x, k) => (i === 1 && k === 0 ? 0.75 : x))) };
    const file = join(folder, "edited.json");
    writeFileSync(file, JSON.stringify(changed));
    const expected = JSON.parse(run("causal", "--input", file, "--json", "-")).stages[0].steps;
    return using(causal, { hash: "#causal/inputs/1,0" }, async (page) => {
        await page.fill("#edit", "0,75");
        await page.keyboard.press("Enter");
        assert.match(await page.textContent("#edited-count"), /edited: 1/);
        assert.match(page.url(), /\?inputs\[1,0\]=0\.75$/);
        for (const step of expected) {
            await page.click(`#map a[href='#causal/${step.name}']`);
            const shown = await page.locator(cells).evaluateAll((all) => all.map((td) => td.firstChild.textContent));
            const flat = step.data.flat(9).map((x) => (typeof x === "string" ? -Infinity : x));
            shown.forEach((text, i) => {
                const x = plain(text) === "-inf" ? -Infinity : Number(plain(text));
                assert.ok(Object.is(x, flat[i]) || Math.abs(x - flat[i]) <= 0.5e-4 + 1e-6, `${step.name} ${i}: ${text} for ${flat[i]}`);
            });
        }
        await page.click("#reset");
        assert.equal(await page.locator("#edited").isVisible(), false);
        assert.equal(await page.locator("td.changed").count(), 0);
        await page.goto("file://" + causal + "#causal/mask/0,1?mask[0,1]=0");
        await page.click("#map a[href='#causal/attn_weights_causal']");
        assert.ok(Number(await number(page.locator(cells).nth(1))) > 0.1);
        assert.equal(await page.locator(".result td.changed").count(), 2);
    });
});

await check("an address that means nothing leaves the page as it is", async () => {
    await using(causal, { hash: "#%" }, async (page) => assert.equal(await shownStep(page), "causal/inputs"));
    await using(causal, { hash: "#causal/attn_scores/0,9" }, async (page) => {
        assert.equal(await shownStep(page), "causal/attn_scores");
        assert.equal(await page.locator("td.held").count(), 0);
    });
    await using(causal, { hash: "#causal/inputs?off=nothing&inputs[9,9]=1&W_key[0,0]=x" }, async (page) => assert.equal(await page.locator("#edited").isVisible(), false));
});

await check("what was pointed at does not stay marked after a jump", () => using(causal, { hash: "#causal/attn_scores" }, async (page) => {
    await page.locator(cells).nth(8).hover();
    assert.ok(await page.locator(".bench .from").count() > 0);
    await page.mouse.move(0, 0);
    await page.click("#map a[href='#causal/attn_weights']");
    await page.waitForFunction(() => location.hash === "#causal/attn_weights");
    await page.mouse.move(0, 0);
    assert.equal(await page.locator(".bench .from, .bench .deep, .bench td.held").count(), 0);
    assert.equal(await page.locator("#map a.dim").count(), 0);
}));

await check("softmax over 11 keys shows every line that its weight is made from", () => using(pages.hostile, { hash: "#causal/attn_weights_causal/10,9" }, async (page) => {
    const lines = (await page.locator("#panel-cell .line").allTextContents()).map(plain);
    const [left, right] = lines.at(-1).split(" = ");
    const [above] = left.split(" / ");
    assert.ok(lines.slice(0, -1).some((line) => line.endsWith("= " + above)), lines.join("; "));
    assert.ok(Number(right) > 0);
}));

await check("forced colours keep the states of cells and buttons apart", () =>
    using(causal, { hash: "#causal/attn_weights_dropped/3,0?inputs[1,0]=0.9", forcedColors: "active" }, async (page) => {
        const looks = await page.evaluate(() => {
            const look = (one) => { const { borderTopStyle, borderTopWidth, borderTopColor, textDecorationLine } = getComputedStyle(one); return [borderTopStyle, borderTopWidth, borderTopColor, textDecorationLine].join(" "); };
            const cell = (of) => document.querySelector(`.bench td${of}`);
            return { plain: look(cell("[class]:not(.changed, .from, .deep, .at, .x, .corner, .m)")), held: look(cell(".held")), from: look(cell(".from")), changed: look(cell(".changed:not(.from, .deep, .at)")), dropped: look(cell(".x")),
                pressed: look(document.querySelector("#variants [aria-pressed=true]")), loose: look(document.querySelector("#variants [aria-pressed=false]")), here: look(document.querySelector("#map .here")), there: look(document.querySelector("#map a:not(.here, .changed)")) };
        });
        const { plain: plainCell, held, from, changed, dropped } = looks;
        assert.equal(new Set([plainCell, held, from, changed, dropped]).size, 5, JSON.stringify(looks));
        assert.notEqual(looks.pressed, looks.loose);
        assert.notEqual(looks.here, looks.there);
        const colours = await page.evaluate(() => new Set([...document.querySelectorAll(".bar i")].map((one) => getComputedStyle(one).backgroundColor)).size);
        assert.ok(colours > 8, String(colours));
    }));

await check("no number is broken across lines, in cells or in the arithmetic", async () => {
    for (const [width, step] of [[1280, "masked/0,1"], [400, "masked/0,1"], [400, "attn_weights_causal/2,1"], [300, "attn_weights_causal/5,5"]]) {
        await using(causal, { width, height: 800, hash: "#causal/" + step }, async (page) => {
            const broken = await page.evaluate(() => {
                const range = document.createRange();
                const lines = (text) => { range.selectNodeContents(text); return new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4))).size; };
                const texts = [...document.querySelectorAll(".bench td[class]:not(.corner), #panel-cell .own, #panel-cell .line button, #panel-cell strong")].map((one) => one.firstChild).filter(Boolean);
                return texts.filter((text) => lines(text) > 1).map((text) => text.data);
            });
            assert.deepEqual(broken, []);
        });
    }
});

await check("on paper no column is cut off", async () => {
    for (const name of ["causal", "hostile", "sixty_four", "batch"]) {
        await using(pages[name], { width: 718, height: 1040 }, async (page) => {
            await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
            await page.emulateMedia({ media: "print" });
            const [cells, widest, cut] = await page.evaluate(() => {
                const all = [...document.querySelectorAll(".tables th, .tables td")];
                const parts = [...document.querySelectorAll(".tables, .formula, pre")].filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible");
                return [all.length, Math.max(...all.map((one) => one.getBoundingClientRect().right)), parts.map((one) => one.outerHTML.slice(0, 80))];
            });
            assert.ok(cells > 500 && widest <= 718, `${name}: ${cells} cells, the widest ends at ${widest}`);
            assert.deepEqual(cut, []);
        });
    }
});

await check("what is looked at together has one scale, and its bar is from the least to the largest number", () => using(causal, { hash: "#causal/attn_scores" }, async (page) => {
    assert.equal(await page.locator(".bench .bar:not(:empty)").count(), 1);
    assert.match(plain(await page.textContent(".bench .bar:not(:empty)")), /^-0\.48.*0\.91$/);
    const colours = await page.locator(".bench td[class]:not(.corner)").evaluateAll((all) => all.map((td) => [Number(td.firstChild.textContent.replace("−", "-")), Number(/b(\d+)/.exec(td.className)[1])]));
    for (const [x, at] of colours) assert.ok(Math.abs(at - Math.round(((x / 0.9091 + 1) / 2) * 63)) <= 1, `${x} ${at}`);
}));

await check("complexity says how its numbers came about, not that they are themselves", () => using(pages.complexity, {}, async (page) => {
    let lines = 0;
    for (let i = 0; i < 9; ++i) {
        const all = page.locator(cells);
        for (let place = 0; place < await all.count(); ++place) {
            await all.nth(place).hover();
            for (const line of await page.locator("#panel-cell .line").allTextContents()) {
                const [left, right] = line.split(" = ");
                assert.notEqual(left, right, await page.textContent("#panel-cell"));
                ++lines;
            }
        }
        await page.keyboard.press("ArrowRight");
    }
    assert.ok(lines > 20, String(lines));
    await page.goto("file://" + pages.complexity + "#complexity/bytes_moved");
    assert.deepEqual((await page.locator(".curves text").allTextContents()).filter((text) => /bytes/.test(text)), ["materialised_bytes 178", "streaming_bytes 17.5"]);
}));

await check("focus stays: on next at the last step, and on a cell that is held", () => using(causal, { hash: "#causal/context_vec" }, async (page) => {
    await page.focus("#next");
    for (let i = 0; i < 3; ++i) await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "next");
    await page.locator(cells).nth(3).focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "gridcell");
}));

await check("a cell is at most 14 tab stops away", () => using(causal, { hash: "#causal/attn_scores" }, async (page) => {
    let stops = 0;
    for (; stops < 40; ++stops) {
        if (await page.evaluate(() => document.activeElement.getAttribute("role")) === "gridcell") break;
        await page.keyboard.press("Tab");
    }
    assert.ok(stops <= 14, String(stops));
}));

await check("masked and dropped cells say so to a screen reader", () => using(causal, { hash: "#causal/attn_weights_dropped" }, async (page) => {
    assert.equal(await page.locator(".result td.m .aside").count(), await page.locator(".result td.m").count());
    assert.ok(await page.locator(".result td.x .aside").count() > 0);
    assert.equal(await page.locator(".result td.x .aside").first().textContent(), " dropped");
}));

await check("the page of all stages opens within a second or two, with few elements", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const times = [];
    for (let i = 0; i < 3; ++i) {
        const page = await context.newPage();
        const began = Date.now();
        await page.goto("file://" + pages.all);
        await page.waitForSelector(".step.on");
        times.push(Date.now() - began);
        const elements = await page.evaluate(() => document.querySelectorAll("*").length);
        assert.ok(elements < 20000, String(elements));
        await page.close();
    }
    await context.close();
    figures.all = Math.min(...times);
    assert.ok(figures.all < 2000, String(figures.all));  // 0.6 s where nothing else runs
});

await check("the scale promises only numbers that are there", () => using(causal, { hash: "#causal/inputs" }, async (page) => {
    assert.match(await page.textContent(".result .bar"), /^0\.05.*0\.89$/);
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert.match(await page.textContent("[id='causal/inputs'] .legend"), /0\.0500 … 0\.8900/);
}));

await check("a minus sign on screen is a hyphen when it is copied", async () => {
    const page = await open(causal, { hash: "#causal/queries", permissions: ["clipboard-read", "clipboard-write"] });
    assert.match(await page.textContent(".result tbody"), /−0\.2047/);
    await page.evaluate(() => getSelection().selectAllChildren(document.querySelector(".result tbody")));
    await page.keyboard.press("Control+C");
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /-0\.2047/);
    assert.ok(!text.includes("−"));
    await close(page);
});

await check("dark mode, light mode and the switch between them", async () => {
    for (const colorScheme of ["light", "dark"]) {
        await using(causal, { colorScheme }, async (page) => {
            const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
            const first = await ground();
            assert.equal(first === "rgb(255, 255, 255)", colorScheme === "light");
            await page.click("#view");
            await page.click("#theme");
            assert.notEqual(await ground(), first);
            await page.click("#theme");
            assert.equal(await ground(), first);
        });
    }
});

await check("print shows all steps of the run as it was, light and without controls, whatever is switched", () =>
    using(causal, { hash: "#causal/masked?off=mask", colorScheme: "dark" }, async (page) => {
        await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
        await page.emulateMedia({ media: "print", colorScheme: "dark" });
        assert.equal(await page.locator("article:visible").count(), steps.length);
        assert.equal(await page.locator("article .tables:visible").count(), steps.length);
        for (const hidden of [".controls", "nav", ".work", ".formula[data-variant]"]) assert.equal(await page.locator(hidden + ":visible").count(), 0, hidden);
        assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
        assert.ok(!(await page.textContent("[id='causal/masked'] .note")).includes("With the mask off"));
        await page.emulateMedia({ media: "screen", colorScheme: "dark" });
        await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
        assert.match(await page.textContent("[id='causal/masked'] .note"), /With the mask off/);
    }));

await check("with reduced motion nothing moves", () => using(causal, { reducedMotion: "reduce" }, async (page) => {
    assert.equal(await page.evaluate(() => [...document.querySelectorAll("*")].some((one) => getComputedStyle(one).transitionDuration !== "0s")), false);
}));

await check("at 400 px nothing sticks out, at any step", () => using(causal, { width: 400, height: 800 }, async (page) => {
    for (let i = 0; i < steps.length; ++i) {
        assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= 400), await shownStep(page));
        await page.keyboard.press("ArrowRight");
    }
}));

await check("whatever can be pressed is 24 px or more", async () => {
    for (const width of [1280, 400]) {
        await using(causal, { width, hash: "#causal/attn_weights_causal/2,1" }, async (page) => {
            const small = await page.evaluate(() => [...document.querySelectorAll("button, #map a, .contents a, .result td[class], summary, input")]
                .filter((one) => one.offsetParent && !one.classList.contains("skip") && !one.classList.contains("corner"))
                .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
                .filter(([, box]) => box.width < 24 || box.height < 24).map(([html, box]) => `${html} ${box.width} × ${box.height}`));
            assert.deepEqual(small, []);
        });
    }
});

// --- other inputs ---

await check("hostile tokens are text", () => using(pages.hostile, {}, async (page) => {
    for (let i = 0; i < steps.length; ++i) await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("img, svg:not(#map svg), iframe, b[onerror], [onmouseover], [onerror]").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    await page.click("#view");
    await page.click("#all");
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("script").count(), 2);
    const headings = (await page.locator("[id='causal/inputs'] .tables th[scope=row]").allTextContents()).map((text) => text.trim().replace(/^\d+ /, ""));
    assert.equal(headings[0], "</script><script>window.…");
    assert.equal(headings[4], "&lt;b&gt;");
    assert.equal(headings[5], "\\u2028\\u2029");
    assert.equal(headings[6], "\\u202eabc\\u202c");
    assert.equal(headings[9], "{{title}}");
}));

await check("Chinese words, formulas and tokens", () => using(pages.chinese, {}, async (page) => {
    assert.match(await page.textContent("[id='causal/dropout_example'] math"), /若.*保留.*否则/);
    assert.equal(await page.getAttribute("html", "lang"), "zh");
    assert.match(await page.textContent("#next"), /下一步/);
    assert.equal(await page.locator("[id='causal/inputs'] .result th[scope=row] bdi").nth(1).textContent(), "旅程");
}));

await check("batches and heads are a row of pictures, one enlarged", () => using(pages.batch, { hash: "#multi-head/attn_weights" }, async (page) => {
    const thumbnails = page.locator(".thumbs button");
    assert.equal(await thumbnails.count(), 4);
    assert.match(await page.textContent(".result figcaption"), /batch 0 head 0/);
    await thumbnails.nth(1).click();
    assert.match(await page.textContent(".result figcaption"), /batch 0 head 1/);
    assert.equal(await page.locator(".result table").count(), 1);
    await page.goto("file://" + pages.batch + "#multi-head/batch");
    await checkArithmetic(page, 11);
}));

await check("a tensor of 64 tokens is complete without a script", () => using(pages.sixty_four, { javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator("[id='causal/attn_weights_causal'] tbody td").count(), 64 * 64);
}));

await check("1,024 tokens open in under 2 seconds, windowed, and can be walked", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const began = Date.now();
    await page.goto("file://" + pages.thousand);
    await page.waitForSelector(".step.on");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    figures.milliseconds = Date.now() - began;
    assert.ok(figures.milliseconds < 2000, String(figures.milliseconds));
    await context.close();
    await using(pages.thousand, { hash: "#causal/attn_weights/3,5" }, async (again) => {
        assert.match(await again.textContent(".result .part"), /32 × 32 of 1024 × 1024/);
        const lines = await again.locator("#panel-cell .line").allTextContents();
        const [left, right] = plain(lines.at(-1)).split(" = ");
        assert.ok(Math.abs(evaluated(left) - Number(right)) < 1e-3, lines.at(-1));
    });
});

await check("axe finds nothing, and contrast is 4.5 or more, in both colour schemes, wide and narrow", async () => {
    const states = {
        start: async () => {},
        held: (page) => page.goto("file://" + causal + "#causal/attn_weights_causal/2,1"),
        "all steps": async (page) => { await page.click("#view"); await page.click("#all"); },
        "mask off, edited": (page) => page.goto("file://" + causal + "#causal/context_vec/2,1?off=mask&inputs[0,0]=-0.5"),
        compared: async (page) => {
            await page.goto("file://" + causal + "#causal/masked_simple_norm");
            await page.click("#view");
            for (const id of ["sums", "ticks", "predict"]) await page.click("#" + id);
            await page.locator(cells).first().click();
        },
    };
    for (const colorScheme of ["light", "dark"]) {
        for (const width of [1280, 400]) {
            for (const [name, prepare] of Object.entries(states)) {
                const page = await open(causal, { colorScheme, width });
                await prepare(page);
                // What axe says of colours takes it longer than all else, and is said of every number below.
                const rules = { "color-contrast": { enabled: name === "start" } };
                assert.deepEqual(await violations(page, { rules }), [], `${colorScheme} ${width} ${name}`);
                const worst = await contrast(page);
                assert.ok(worst.ratio >= 4.5, `${colorScheme} ${width} ${name}: ${worst.ratio} ${worst.text}`);
                await close(page);
            }
        }
    }
    for (const name of ["batch", "hostile", "chinese"]) {
        const page = await open(pages[name]);
        assert.deepEqual(await violations(page), [], name);
        await page.keyboard.press("End");
        await close(page);
    }
});

await finish(`lowest contrast ${figures.contrast.toFixed(2)}`, `arithmetic of ${figures.cells} cells`, `the causal page has ${figures.bytes} bytes`,
    `1,024 tokens open in ${figures.milliseconds} ms, all stages in ${figures.all} ms`);
