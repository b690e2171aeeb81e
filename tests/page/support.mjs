// Helpers of both page tests.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test as base } from "@playwright/test";
export { expect };

export const program = process.env.ATTN_PROGRAM;

const folder = join(process.env.ATTN_WORK, "made", process.env.TEST_WORKER_INDEX ?? "listing");
// Files of an earlier run must not stand in for missing ones.
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
export const inFolder = (name) => join(folder, name);
export function written(name, text) {
    writeFileSync(inFolder(name), text);
    return inFolder(name);
}

export const cells = ".result td[role=gridcell]";

// using(page, options, body) opens a file, or the file that a function returns, in a context of its own,
// offline and without animations. The page must not write to the console, throw, or use the network.
export const test = base.extend({
    using: ({ browser }, use) =>
        use(async (given, { hash = "", width = 1280, height = 800, ...options }, body) => {
            const file = typeof given === "function" ? given() : given;
            const context = await browser.newContext({
                viewport: { width, height },
                locale: "en-US",
                offline: true,
                reducedMotion: "reduce",
                ...options
            });
            context.setDefaultTimeout(120000); // tests run beside others
            const page = await context.newPage();
            const said = [];
            page.on("console", (message) => said.push(message.text()));
            page.on("pageerror", (error) => said.push(String(error.stack)));
            page.on("dialog", (dialog) => {
                said.push("dialog " + dialog.message());
                dialog.dismiss();
            });
            const isOwn = (url) =>
                url.split("#")[0] === "file://" + file ||
                // The program's worker and its downloads.
                (file === process.env.ATTN_PAGE && url.startsWith("blob:"));
            page.on("request", (request) => {
                if (!isOwn(request.url())) said.push("request " + request.url());
            });
            try {
                await page.goto("file://" + file + hash);
                if (options.javaScriptEnabled !== false) {
                    await page.locator(cells).first().waitFor();
                    // Sections out of sight are drawn when there is time.
                    await expect(page.locator("#article > section:empty")).toHaveCount(0);
                }
                await body(page);
                assert.deepEqual(said, []);
            } finally {
                await context.close();
            }
        })
});

// onPage(file, options, body) is the function of a test that uses one page.
export const onPage =
    (file, options, body) =>
    ({ using }) =>
        using(file, options, body);
// Waits for what is said of the first such element: await on(page, "h2").toHaveText("…").
export const on = (page, selector) => expect(page.locator(selector).first());
export const goTo = (page, hash) => page.evaluate((to) => (location.hash = to), hash);
// The table of a step in the figure of its section; the first figure may show it, too.
export const resultOf = (page, step) => page.locator(`.result table[aria-label="${step}"]`).last();
// Returns each cell's number as a text, or null where the mask hides it.
export async function numbersOf(table) {
    const texts = await table
        .locator("td[role=gridcell]")
        .evaluateAll((all) =>
            all.map((td) => (td.firstChild?.nodeType === Node.TEXT_NODE ? td.firstChild.data : null))
        );
    return texts.map((text) => text && text.replaceAll("−", "-"));
}
// Checks that these are a step's numbers, rounded to four decimals.
export function assertNumbers(texts, { name, data }) {
    const numbers = [data].flat(9).map(Number);
    assert.equal(texts.length, numbers.length, name);
    texts.forEach((text, i) => {
        const halfUnit = 5.001e-5 * 10 ** Number(/e(.*)/.exec(text)?.[1] ?? 0);
        const isMasked = text === null && [0, -Infinity].includes(numbers[i]);
        const shown = text && Number(text.replace("inf", "Infinity"));
        const isSame =
            isMasked || (text && (shown === numbers[i] || Math.abs(shown - numbers[i]) <= halfUnit));
        assert.ok(isSame, `${name} ${i}: ${text}, ${numbers[i]}`);
    });
}

// Returns what axe reports, one line per violation. It takes every in-page link for a skip link; the links of
// the map are addresses of steps, so only the target of the real one is checked. Most of its time went into
// the list of what is right, which nobody reads, and into frames, which the page does not have.
export async function violations(page) {
    assert.equal(await page.locator("#article").count(), 1);
    assert.equal(await page.locator(".skip").getAttribute("href"), "#article");
    const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
    const { violations: found } = await axe.disableRules(["skip-link"]).analyze();
    return found.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`);
}
// Checks that the page is no wider than the screen, and that every control is at least 24 px high. Links in
// lists are exempt.
export async function assertFits(page, width, where) {
    const widest = await page.evaluate(() => document.scrollingElement.scrollWidth);
    assert.ok(widest <= width, `${where}: ${widest}`);
    const small = await page.evaluate(() =>
        [...document.querySelectorAll("button, input, select, summary, a")]
            .filter(
                (one) =>
                    one.offsetParent && one.getBoundingClientRect().height < 24 && !one.closest("li a, .skip")
            )
            .map((one) => one.outerHTML.slice(0, 80))
    );
    assert.deepEqual(small, [], where);
}
