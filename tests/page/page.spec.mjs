// Tests the page in a browser as a reader uses it: with the mouse, the keyboard and the address.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { assertFits, assertNumbers, cells, goTo, inFolder, numbersOf } from "./support.mjs";
import { on, onPage, program, test, violations, written } from "./support.mjs";

// Runs the program with the words of a line and more arguments.
const run = (line, ...more) =>
    execFileSync(program, [...line.split(" "), ...more], { encoding: "utf8", maxBuffer: 1 << 28 });
const stepsOf = (stage) => JSON.parse(run(stage + " --json -")).stages[0].steps;
function pageOf(name, line, ...more) {
    run(line, ...more, "--out", inFolder(name + ".html"));
    return inFolder(name + ".html");
}
const lesson = (name, tokens) =>
    written(
        name + ".json",
        JSON.stringify({
            tokens,
            embeddings: tokens.map((_, i) => [0, 1, 2, 3].map((k) => ((i * 37 + k * 61) % 100) / 100))
        })
    );
const plain = (text) => text.replaceAll("−", "-");
const textOf = (page, selector) => page.textContent(selector).then(plain);
const hashOf = (page) => page.evaluate(() => decodeURIComponent(location.hash));
async function goToStep(page, stage, step, cell = "") {
    await goTo(page, `#${stage}/${step}/${cell}`);
    await on(page, "h2 code").toHaveText(step);
}
const stagesOf = (page) =>
    page.locator("[data-do=stage] option").evaluateAll((all) => all.map((one) => one.value));
const isInView = (page, selector) =>
    page
        .locator(selector)
        .first()
        .evaluate((one) => {
            const { top, bottom, height } = one.getBoundingClientRect();
            return height > 0 && top >= 0 && bottom <= innerHeight;
        });
const causal = pageOf("causal", "causal");
const back = pageOf("back", "all --backward");

test(
    "it opens on the mask, and the arithmetic is in sight",
    onPage(causal, {}, async (page) => {
        assert.equal(await page.textContent("h2"), "What may journey look at? attn_weights_causal");
        assert.equal(await page.locator(`${cells}.m`).count(), 15);
        for (const one of [
            cells + " >> nth=35",
            ".switches button",
            ".bars",
            ".sum .own",
            ".strip a[aria-current]"
        ])
            assert.ok(await isInView(page, one), one);
        assert.match(await textOf(page, ".sum"), /max\(0\.32926, 0\.12181, -inf ×4\)/);
        for (const heading of await page.locator(".result th:has(bdi)").all())
            assert.ok(await heading.evaluate((one) => one.scrollWidth <= one.clientWidth));
        for (const tile of await page.locator(".tile").all())
            assert.ok((await tile.boundingBox()).width >= 48);
        let stops = 0;
        while ((await page.evaluate(() => document.activeElement.getAttribute("role"))) !== "gridcell") {
            await page.keyboard.press("Tab");
            assert.ok(++stops <= 6);
        }
    })
);

test(
    "the pointer asks for another row: question, bars and arithmetic follow",
    onPage(causal, {}, async (page) => {
        await page.hover(cells + " >> nth=13"); // row 2, column 1
        assert.match(await page.textContent("h2"), /What may starts look at/);
        assert.deepEqual(await page.locator(".bars tr:nth-child(4) .number").allTextContents(), [
            "0.0259",
            "−inf",
            "0"
        ]);
        assert.match(await textOf(page, ".sum .own"), / = 0\.3097$/);
        // Scores are in the bars, not beside the weights.
        assert.equal(await page.locator("td.from").count(), 0);
        await page.click(cells + " >> nth=13");
        await page.hover(cells + " >> nth=0");
        // The cell stays selected.
        assert.match(await textOf(page, ".sum .name"), /attn_weights_causal\[2\]\[1\]/);
        await page.click("[data-do=release]");
        await page.click(cells + " >> nth=13");
        await page.keyboard.press("Escape");
        await page.hover(cells + " >> nth=6");
        await page.hover(cells + " >> nth=0");
        assert.match(await textOf(page, ".sum .name"), /attn_weights_causal\[0\]\[0\]/);
    })
);

test(
    "a switch shows the stage without the mask: numbers, words and code",
    onPage(causal, {}, async (page) => {
        await page.click("[data-off=mask]");
        assert.equal(await page.locator(`${cells}.m`).count(), 0);
        assert.equal(await page.locator(`${cells}.changed`).count(), 30);
        assert.equal(
            await page
                .locator(`${cells}.changed:not(.at)`)
                .first()
                .evaluate((one) => getComputedStyle(one).outlineStyle + getComputedStyle(one).borderTopWidth),
            "none0px"
        ); // shaded, not framed
        assert.match(await page.textContent(".lead"), /with the mask off, each token looks at all tokens/);
        assert.equal(await page.textContent("[data-off=mask]"), "Put the mask back");
        assert.match(await hashOf(page), /\?off=mask$/);
        await page.click(".strip a >> text=masked");
        assert.doesNotMatch(await page.textContent(".how .code"), /masked_fill/);
        await page.goBack();
        await page.click("[data-off=mask]");
        assert.equal(await page.locator(`${cells}.m`).count(), 15);
    })
);

test("every number of every step is the one that the program made", async ({ using }) => {
    for (const stage of ["causal", "multi-head"]) {
        const steps = stepsOf(stage);
        await using(pageOf(stage, stage), { hash: `#${stage}/${steps[0].name}` }, async (page) => {
            for (const step of steps) {
                const shown = [];
                const matrices = await page.locator(".matrices button").all();
                for (const matrix of matrices.length ? matrices : [null]) {
                    await matrix?.click();
                    shown.push(...(await numbersOf(page)));
                }
                assertNumbers(shown, step);
                if (step !== steps.at(-1)) await page.click("[data-do=next]");
            }
        });
    }
});

const withoutLabel = (line) => line.replace(/^[^:]*: /, "");
const decimalsOf = (text) => (/\.(\d*)/.exec(text)?.[1] ?? "").length;
const exponentOf = (text) => Number(/e(.*)/.exec(text)?.[1] ?? 0);
// Names in the arithmetic. Results beyond float32 are infinite.
const { max, sin, cos, sqrt, abs, log } = Math;
const inRange = (x) => (abs(x) > 3.4028235e38 ? Math.sign(x) * Infinity : x);
const exp = (x) => inRange(Math.exp(x));
const names = { max, sin, cos, sqrt, abs, log, ln: log, exp, inf: Infinity, nan: NaN };
// Evaluates a line of arithmetic such as `exp(0.12181 − 0.32926) = 0.8127`: both sides and half a unit of the
// right one. Returns nothing for a line whose middle is left out.
function evaluated(line) {
    const [left, right] = plain(line)
        .replace(/^√d_k = /, "")
        .split(/ [=≈] (?=[^=]*$)/);
    if (left.includes("…")) return null;
    const script = left
        .replaceAll("·", "*")
        .replace(/ ×(\d+)/g, left.startsWith("max(") ? "" : "*$1")
        .replaceAll("≤", "<=")
        .replaceAll("≠", "!=")
        .replaceAll(" = ", "==")
        .replace(/√(\d+)/g, "sqrt($1)");
    const value = Function(...Object.keys(names), `return ${script}`)(...Object.values(names));
    const halfUnit = 0.5000001 * 10 ** (exponentOf(right) - max(decimalsOf(right), 4));
    return [inRange(Number(value)), Number(right.replace("inf", "Infinity")), halfUnit];
}
test("every line of arithmetic is true as it is shown", async ({ using }) => {
    let evaluatedLines = 0,
        nearly = 0;
    const wrong = [];
    await using(pageOf("all", "all"), {}, async (page) => {
        for (const stage of await stagesOf(page)) {
            await page.selectOption("[data-do=stage]", stage);
            const lines = await page.evaluate(() => {
                const found = [];
                const all = document.querySelectorAll(".all-steps a");
                for (let i = 0; i < all.length; ++i) {
                    document.querySelectorAll(".all-steps a")[i].click();
                    const count = document.querySelectorAll(".result td[role=gridcell]").length;
                    for (let k = 0; k < count; k += Math.ceil(count / 9)) {
                        document
                            .querySelectorAll(".result td[role=gridcell]")
                            [k].dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
                        const cell = document.querySelector(".sum .name b").textContent;
                        for (const { textContent } of document.querySelectorAll(".sum .line"))
                            found.push([cell, textContent]);
                    }
                }
                return found;
            });
            for (const [cell, text] of lines) {
                const line = withoutLabel(text);
                // Only this stage has operands that the page does not show.
                if (stage !== "causal-self-attention" && /…/.test(line.replace(/ … [^…]* … /, "")))
                    wrong.push(`${stage} ${cell}: ${line} lacks a number`);
                if (/≈/.test(line)) {
                    ++nearly;
                    continue;
                }
                // A number of the code by its name.
                if (/^[\w.[\]*/ ()-]*[a-z_]\S* = \S+$/.test(line) && !/[·+]|exp|max/.test(line)) continue;
                let sides;
                try {
                    sides = evaluated(line);
                } catch (error) {
                    wrong.push(`${stage} ${cell}: ${line}: ${error.message}`);
                }
                if (!sides) continue;
                ++evaluatedLines;
                const [left, right, halfUnit] = sides;
                const isSame =
                    Object.is(left, right) || Math.fround(left) === right || abs(left - right) <= halfUnit;
                if (!isSame) wrong.push(`${stage} ${cell}: ${line} comes to ${left}`);
            }
        }
    });
    assert.deepEqual(wrong.slice(0, 30), []);
    console.log(`${evaluatedLines} lines of arithmetic evaluated, ${nearly} marked ≈`);
    assert.ok(evaluatedLines > 3000 && nearly < evaluatedLines / 18);
});

// Returns the numbers of a text without its names, indices, counts (×3) and roots (√2).
const numbersIn = (text) =>
    plain(text)
        .replace(/[×√]\d+|[A-Za-z_][\w.]*(\[[^\]]*\])*/g, (name) => (/^(inf|nan|e)$/.test(name) ? name : " "))
        .match(/\d+\.?\d*(e[-+]\d+)?|inf|nan/g) ?? [];
const unitOf = (text) => 10 ** (exponentOf(text) - decimalsOf(text));
const isSameNumber = (a, b) => a === b || abs(a - b) <= 0.5000001 * max(unitOf(a), unitOf(b));
// Explain leaves out terms that are 0.
const zeroTerms = /\b0·(\([^)]*\)|\S+)|(\([^)]*\)|\S+)·0(?![.\d])/g;
test("every number in the arithmetic is one that explain prints", async ({ using }) => {
    const seed = Number(process.env.ATTN_SEED ?? 1);
    let state = seed,
        compared = 0;
    const random = (below) => (state = (state * 48271) % 2147483647) % below;
    const unknown = [];
    for (const stage of ["causal", "multi-head", "rotary", "training-step"]) {
        await using(pageOf(stage, stage), {}, async (page) => {
            for (const { name, shape } of stepsOf(stage)) {
                const cell = shape.map(random);
                const where = name + cell.map((i) => `[${i}]`).join("");
                await goTo(page, `#${stage}/${name}/${cell}`);
                await on(page, ".sum b").toHaveText(where);
                const explained = numbersIn(run(`explain ${stage} ${where}`));
                for (const line of await page.locator(".sum .line").allTextContents()) {
                    const shown = numbersIn(withoutLabel(line).replace(zeroTerms, ""));
                    compared += shown.length;
                    unknown.push(
                        ...shown
                            .filter((text) => !explained.some((one) => isSameNumber(text, one)))
                            .map((text) => `${stage} ${where}: ${text} in ${line}`)
                    );
                }
            }
        });
    }
    assert.deepEqual(unknown, [], `ATTN_SEED=${seed}`);
    assert.ok(compared > 1000);
});

test(
    "the address leads to a cell, and back, forward and reload do",
    onPage(causal, { hash: "#causal/attn_scores/1,0" }, async (page) => {
        assert.match(await textOf(page, ".sum .name"), /attn_scores\[1\]\[0\].*pinned/);
        assert.match(
            await textOf(page, ".sum .own"),
            /^0\.9091·0\.3147 \+ \(-0\.4471\)·\(-0\.4016\) = 0\.4656$/
        );
        assert.equal(await page.locator("td.from").count(), 4);
        await page.click(".sum .line button >> nth=0");
        assert.equal(await hashOf(page), "#causal/queries/1,0");
        await page.goBack();
        assert.equal(await hashOf(page), "#causal/attn_scores/1,0");
        assert.match(await textOf(page, ".sum .name"), /attn_scores\[1\]\[0\]/);
        await page.goForward();
        await page.reload();
        assert.match(await textOf(page, ".sum .name"), /queries\[1\]\[0\]/);
        for (const hash of ["#%", "#causal/none/9", "#<img src=x>", "#causal/masked/99,99?off=none"]) {
            await goTo(page, hash);
            assert.ok((await page.locator(cells).count()) > 0, hash);
        }
    })
);

test(
    "by keyboard alone: steps, cells, holding",
    onPage(causal, {}, async (page) => {
        await page.keyboard.press("ArrowRight");
        assert.match(await page.textContent("h2 code"), /dropout_example/);
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter"); // the skip link
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowRight");
        assert.match(await textOf(page, ".sum .name"), /\[2\]\[1\]/);
        await page.keyboard.press("Enter");
        assert.equal(await hashOf(page), "#causal/attn_weights_causal/2,1");
    })
);

test(
    "steps, lists, the set-up and the colours answer to the mouse",
    onPage(causal, {}, async (page) => {
        const stepIs = (name) => on(page, "h2 code").toHaveText(name);
        await page.click("[data-do=back]");
        await stepIs("masked");
        await page.click("[data-do=next]");
        await stepIs("attn_weights_causal");
        await page.click(".all-steps summary");
        await page.click(".all-steps a >> text=The embeddings");
        await stepIs("inputs");
        await on(page, "[data-do=back]").toHaveAttribute("aria-disabled", "true");
        await on(page, ".all-steps[open]").toBeVisible(); // the list stays open
        await page.click(".more .setup summary");
        await on(page, ".more .setup pre").toContainText("import torch");
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await paper();
        await page.click("[data-do=theme]");
        assert.notEqual(await paper(), light);
        await page.click("[data-do=theme]");
        assert.equal(await paper(), light);
        await page.click(".strip a >> text=attn_scores");
        await page.locator(".left tbody td").nth(2).click(); // a cell of an operand leads to its step
        assert.equal(await hashOf(page), "#causal/queries/1,0");
    })
);

test(
    "from 1200 px on, a result stands beside its first operand, and no token is cut",
    onPage(causal, { width: 1200 }, async (page) => {
        const wrong = await page.evaluate(() =>
            [...document.querySelectorAll(".all-steps a")].flatMap((_, i) => {
                document.querySelectorAll(".all-steps a")[i].click();
                const [operand, result] = [".figures .operand, .figures .left", ".figures .result"].map(
                    (which) => document.querySelector(which)?.getBoundingClientRect()
                );
                const isCut = [...document.querySelectorAll(".figures th")].some(
                    (one) => one.scrollWidth > one.clientWidth + 1
                );
                return (operand && operand.top >= result.bottom) || isCut
                    ? [document.querySelector("h2 code").textContent]
                    : [];
            })
        );
        assert.deepEqual(wrong, []);
    })
);

test("the map is not cut; its arrows touch no tile and lead to steps that use an earlier one", async ({
    using
}) => {
    let arrows = 0;
    for (const width of [1280, 400]) {
        await using(back, { width }, async (page) => {
            const stages = await stagesOf(page);
            assert.ok(stages.length > 20, String(stages));
            for (const stage of stages) {
                await page.selectOption("[data-do=stage]", stage);
                const { wrong, count } = await page.evaluate((name) => {
                    const { stages } = JSON.parse(document.getElementById("data").textContent);
                    const { steps, lines } = stages.find((one) => one.name === name).runs[0];
                    const inputsOf = new Map([...steps, ...lines].map((one) => [one.name, one.inputs]));
                    const uses = (step, source) =>
                        (inputsOf.get(step) ?? []).some((one) => one === source || uses(one, source));
                    const nav = document.querySelector("nav");
                    const tiles = [...nav.querySelectorAll(".strip a")];
                    const wrong = [nav, ...nav.querySelectorAll("*")]
                        .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
                        .map((one) => `${one.className} is cut`);
                    for (const arrow of nav.querySelectorAll(".arrow")) {
                        const at = arrow.getBoundingClientRect();
                        for (const tile of tiles) {
                            const box = tile.getBoundingClientRect();
                            const isApart =
                                at.right <= box.left ||
                                at.left >= box.right ||
                                at.bottom <= box.top ||
                                at.top >= box.bottom;
                            if (!isApart) wrong.push(`an arrow touches ${tile.textContent}`);
                        }
                        const namesIn = (column) =>
                            [...column.querySelectorAll("code")].map((one) => one.textContent);
                        const sources = namesIn(arrow.previousElementSibling);
                        for (const step of namesIn(arrow.nextElementSibling))
                            if (!sources.some((source) => uses(step, source)))
                                wrong.push(`${step} uses none of ${sources}`);
                    }
                    return { wrong, count: nav.querySelectorAll(".arrow").length };
                }, stage);
                assert.deepEqual(wrong, [], `${stage} ${width}`);
                arrows += count;
            }
        });
    }
    assert.ok(arrows > 200, String(arrows));
});

test(
    "tensors of one kind share one colour scale, in the table and in the map",
    onPage(causal, {}, async (page) => {
        for (const kind of [
            ["attn_weights", "masked_simple", "attn_weights_causal"],
            ["attn_scores", "masked"],
            ["queries", "keys", "values"]
        ]) {
            const seen = [];
            for (const name of kind) {
                await goToStep(page, "causal", name);
                const shown = await page.evaluate(() => {
                    const picture = document.querySelector(".strip [aria-current] canvas");
                    const pixels = picture
                        ?.getContext("2d")
                        .getImageData(0, 0, picture.width, picture.height).data;
                    return [...document.querySelectorAll(".result td[role=gridcell]")].map((cell, at) => ({
                        isShaded: /plus|minus/.test(cell.className),
                        x: Math.abs(Number(cell.firstChild?.data?.replace("−", "-"))),
                        share: Number(cell.style.getPropertyValue("--share")),
                        inMap: pixels && pixels[4 * at + 3] / 2.55
                    }));
                });
                seen.push(...shown.filter((one) => one.isShaded));
            }
            assert.ok(seen.length > 20);
            for (const { x, share, inMap } of seen) {
                // attn_weights is not on the main path, so it has no tile.
                if (inMap !== undefined) assert.ok(Math.abs(inMap - share) < 1, `${x}: ${inMap} ${share}`);
            }
            assert.ok(seen.filter(({ inMap }) => inMap !== undefined).length > 10);
            seen.sort((a, b) => a.x - b.x);
            for (let i = 1; i < seen.length; ++i)
                assert.ok(seen[i].share >= seen[i - 1].share, JSON.stringify([kind, seen[i - 1], seen[i]]));
        }
    })
);

test("bars move with the row, and without a transition if less motion is asked for", async ({ using }) => {
    for (const [reducedMotion, duration] of [
        ["reduce", "0s"],
        ["no-preference", "0.35s"]
    ]) {
        await using(causal, { reducedMotion }, async (page) => {
            const widths = () =>
                page.locator(".bar").evaluateAll((all) => all.map((one) => Math.round(one.clientWidth)));
            const before = await widths();
            assert.ok(new Set(before).size > 3, String(before));
            await page.hover(cells + " >> nth=31");
            await page.waitForTimeout(500);
            const after = await widths();
            assert.ok(after.filter((width, i) => width !== before[i]).length > 6, String(after));
            assert.equal(
                await page
                    .locator(".bar")
                    .first()
                    .evaluate((one) => getComputedStyle(one).transitionDuration),
                duration
            );
        });
    }
});

test("bars of scores share one scale", ({ using }) =>
    // The mask hides the largest score of this row.
    using(back, { hash: "#multi-head/attn_weights/0,0,0,0" }, async (page) => {
        const rows = await page.locator(".bars tbody tr").evaluateAll((all) =>
            all.map((row) =>
                [...row.querySelectorAll("td")].slice(0, 2).map((cell) => ({
                    x: cell.querySelector(".number").textContent,
                    share: cell.querySelector(".bar").style.getPropertyValue("--share")
                }))
            )
        );
        assert.ok(Number(rows[0][0].x) < Number(rows[1][0].x));
        assert.deepEqual(rows[0][1], rows[0][0]);
        assert.match(await page.textContent(".bars caption"), /bars of scores share one scale/);
    }));

test(
    "errata are folded, and open with a click",
    onPage(back, { hash: "#multi-head/attn_weights" }, async (page) => {
        const text = page.locator(".how .erratum");
        assert.equal(await text.isVisible(), false);
        await page.click(".how .errata summary");
        assert.equal(await text.isVisible(), true);
        assert.match(await text.textContent(), /\w{4}/);
    })
);

test(
    "on a phone, the arithmetic and the operands that the cell uses are in sight",
    onPage(causal, { width: 400 }, async (page) => {
        for (const [step, cell] of [
            ["attn_scores", "1,0"],
            ["queries", "1,0"],
            ["context_vec_dropped", "0,0"],
            ["attn_weights_causal", "1,0"]
        ]) {
            await goToStep(page, "causal", step, cell);
            const top = await page.locator(".dock").evaluate((one) => one.getBoundingClientRect().top);
            assert.ok(await isInView(page, ".sum .own"), step);
            const boxes = await page
                .locator(".figures table")
                .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
            assert.ok(Math.max(...boxes) <= top, `${step}: ${boxes} below ${top}`);
        }
    })
);

test(
    "a link is copied, and says so",
    onPage(causal, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
        await page.click("[data-do=link]");
        await on(page, "[data-do=link]").toHaveText("Copied");
        assert.match(
            await page.evaluate(() => navigator.clipboard.readText()),
            /#causal\/attn_weights_causal\/1,0$/
        );
    })
);

test("all steps stand in reading order: on screen, on paper and without a script", async ({ using }) => {
    const count = (page) => page.locator("#steps .step:visible").count();
    await using(causal, {}, async (page) => {
        await page.click("[data-do=every]");
        assert.equal(await count(page), 20);
        await page.click("[data-do=every]");
        await page.emulateMedia({ media: "print" });
        assert.equal(await count(page), 20);
    });
    await using(causal, { javaScriptEnabled: false }, async (page) => {
        assert.equal(await count(page), 20);
        assert.match(await page.textContent("#steps .output >> nth=7"), /0\.2899,\s+0\.0716/);
    });
});

test("64 tokens and four heads: a page of at most 1.5 MB that follows the pointer", async ({ using }) => {
    const tokens = Array.from({ length: 64 }, (_, i) => "w" + i);
    const file = pageOf("64", "multi-head --heads 4 --d-out 8 --input", lesson("64", tokens));
    assert.ok(statSync(file).size <= 1.5e6, String(statSync(file).size));
    await using(file, {}, async (page) => {
        assert.equal(await page.locator(cells).count(), 256);
        assert.match(await page.textContent(".matrices button >> nth=3"), /head 4/);
        await page.locator(".result .overview").click({ position: { x: 120, y: 120 } });
        assert.equal(await page.textContent(".result tbody tr:last-child th bdi"), "w63");
        const boxes = await page
            .locator(cells)
            .evaluateAll((all) => all.slice(100, 110).map((one) => one.getBoundingClientRect().toJSON()));
        const before = await textOf(page, ".sum .name");
        const began = Date.now();
        for (const { x, y, width, height } of boxes) await page.mouse.move(x + width / 2, y + height / 2);
        console.log(
            `64 tokens × 4 heads: ${statSync(file).size} bytes, ${(Date.now() - began) / 10} ms for a hover`
        );
        assert.notEqual(await textOf(page, ".sum .name"), before);
    });
});

test("what comes from outside is text", async ({ using }) => {
    const hostile = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\"onmouseover='alert(1)'",
        "\u202eright"
    ];
    await using(pageOf("hostile", "causal --input", lesson("hostile", hostile)), {}, async (page) => {
        assert.equal(
            (await page.locator("img").count()) + (await page.evaluate(() => document.scripts.length)),
            2
        );
        assert.equal(
            await page.textContent(".result tbody th bdi >> nth=1"),
            "<img src=x onerror=alert" + "…"
        );
    });
});

test("axe finds nothing, nothing sticks out and every target is large enough, in every kind of step", async ({
    using
}) => {
    const zh = pageOf("zh", "causal --lang zh");
    const few = pageOf("few", "causal multi-head --backward");
    const other = pageOf("other", "rotary training-step multi-head");
    const places = [
        [causal, "#causal/attn_weights_causal/2,1?off=mask"],
        [causal, "#causal/attn_scores/1,0"],
        [causal, "#causal/masked_simple"],
        [zh, ""],
        [few, "#causal/attn_scores_grad/1,0"],
        [few, "#multi-head/attn_weights"],
        [other, "#rotary"],
        [other, "#training-step"],
        [other, "#multi-head/context_vec"]
    ];
    for (const [colorScheme, width] of [
        ["light", 1280],
        ["dark", 400]
    ]) {
        for (const [file, hash] of places) {
            await using(file, { hash, width, colorScheme }, async (page) => {
                assert.deepEqual(await violations(page), [], `${hash} ${colorScheme} ${width}`);
                await assertFits(page, width, `${hash} ${width}`);
                if (width === 400) assert.ok(await isInView(page, ".dock"), hash);
            });
        }
    }
});
