// Shared by the tests of the pages. Arguments: the native program, the folder with node_modules, the browser.
// Each check is a sentence; measured times are printed at the end.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const [program, work, browserPath] = process.argv.slice(2);
const require = createRequire(resolve(work) + "/");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const folder = mkdtempSync(join(tmpdir(), "attn-page-"));
export const browser = await require("playwright-core").chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
export const figures = { checks: 0, axe: 0 };

const failures = [];
const chosen = (process.env.ATTN_CHECKS ?? "").split("|");  // runs only checks whose sentences contain one of these parts
const unmatched = new Set(chosen);
export async function check(sentence, body) {
    const matching = chosen.filter((part) => sentence.includes(part));
    if (matching.length === 0) return;
    matching.forEach((part) => unmatched.delete(part));
    ++figures.checks;
    try {
        await body();
    } catch (error) {
        failures.push(sentence);
        console.log(`FAILED: ${sentence}\n    ${String(error.stack ?? error).split("\n").slice(0, 8).join("\n    ")}`);
    }
}

// Returns the problems that axe finds in a page, one per line.
export async function violations(page, options = {}) {
    ++figures.axe;
    // Uses the debugger, to which the page's security policy does not apply.
    await page.evaluate(axe + ";0");
    const found = await page.evaluate(async (options) => (await window.axe.run(document, { resultTypes: ["violations"], ...options })).violations, options);
    return found.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`);
}

export async function finish(...measured) {
    await browser.close();
    rmSync(folder, { recursive: true });
    for (const part of unmatched) failures.push(part), console.log(`FAILED: no check is called “${part}”`);
    console.log([`${figures.checks} checks, ${failures.length} failed`, `${figures.axe} axe runs`, ...measured].join("; "));
    process.exit(failures.length === 0 && figures.checks > 0 ? 0 : 1);
}
