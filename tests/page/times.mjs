// How long the page takes to open, to answer a pointer, to go to another step and to follow an edit, at 6, 64 (four heads) and
// 512 tokens. No part of the tests: times depend on the machine and on what else it does. Each is the median of several.
//     sh tests/page/run.sh PROGRAM FOLDER      (once: installs playwright-core there)
//     node tests/page/times.mjs PROGRAM FOLDER BROWSER
import { execFileSync } from "node:child_process";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { browser, folder, program } from "./checks.mjs";

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

function lesson(tokens) {
    const file = join(folder, `lesson-${tokens}.json`);
    const embeddings = Array.from({ length: tokens }, (_, i) => [0, 1, 2, 3].map((k) => ((i * 37 + k * 61) % 100) / 100));
    writeFileSync(file, JSON.stringify({ tokens: embeddings.map((_, i) => "w" + i), embeddings }));
    return file;
}

// Milliseconds until what an action leads to is painted, as the page itself counts them.
const painted = (page, action) => page.evaluate(async (source) => {
    const began = performance.now();
    Function("return " + source)()();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - began;
}, String(action));

const rows = [];
for (const [name, step, ...options] of [
    ["6 tokens", "causal/attn_weights_causal", "causal"],
    ["64 tokens, 4 heads", "multi-head/attn_weights", "multi-head", "--heads", "4", "--d-out", "8", "--input", lesson(64)],
    ["512 tokens", "causal/attn_weights_causal", "causal", "--input", lesson(512)],
    ["all stages", "causal/attn_weights_causal", "all"],
]) {
    const file = join(folder, "page.html");
    execFileSync(program, [...options, "--out", file]);
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const opened = [];
    let page;
    for (let i = 0; i < 5; ++i) {
        await page?.close();
        page = await context.newPage();
        const began = Date.now();
        await page.goto("file://" + file + "#" + step);
        await page.waitForSelector(".step.on");
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
        opened.push(Date.now() - began);
    }
    const times = async (count, action) => {
        const all = [];
        for (let i = 0; i < count; ++i) all.push(await painted(page, action));
        return median(all);
    };
    const hover = await times(9, () => {
        const cells = document.querySelectorAll(".result td[role=gridcell]");
        window.at = ((window.at ?? 0) + 7) % cells.length;
        cells[window.at].dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    });
    const jump = await times(9, () => document.querySelector("#next").click());
    await page.goto("file://" + file + "#" + step.replace(/\/.*/, ""));
    await page.locator(".result td[role=gridcell]").first().click();
    const edit = await page.locator("#drag").count() === 0 ? NaN : await times(9, () => {
        const slider = document.querySelector("#drag");
        slider.value = String(Number(slider.value) + 0.05);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
    rows.push({ "": name, "kB": Math.round(statSync(file).size / 1000), "open ms": Math.round(median(opened)), "hover ms": Math.round(hover), "jump ms": Math.round(jump), "edit ms": Number.isNaN(edit) ? "–" : Math.round(edit) });
    await context.close();
}
await browser.close();
rmSync(folder, { recursive: true });
console.table(rows);
