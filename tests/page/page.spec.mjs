// Tests the page in a browser as a reader uses it: with the mouse, the keyboard and the address.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { assertFits, assertNumbers, expect, goTo, inFolder, on, onPage, program } from "./support.mjs";
import { resultOf, test, violations, written } from "./support.mjs";

// Runs the program with the words of a line and more arguments.
const run = (line, ...more) =>
    execFileSync(program, [...line.split(" "), ...more], { encoding: "utf8", maxBuffer: 1 << 28 });
const stagesOf = (stage) => JSON.parse(run("page " + stage)).stages[0];
const stepsOf = (stage) => JSON.parse(run(stage + " --json -")).stages[0].steps;
// Returns a function that makes a page when the first test needs it, and returns its file.
const pageOf =
    (name, line, ...more) =>
    () => {
        const file = inFolder(name + ".html");
        if (!existsSync(file)) run(line, ...more, "--out", file);
        return file;
    };
const lesson = (name, tokens) =>
    written(
        name + ".json",
        JSON.stringify({
            tokens,
            embeddings: tokens.map((_, i) => [0, 1, 2, 3].map((k) => ((i * 37 + k * 61) % 100) / 100))
        })
    );
const plain = (text) => text.replaceAll("−", "-");
const hashOf = (page) => page.evaluate(() => decodeURIComponent(location.hash));
const linesIn = async (page, section) =>
    (await page.locator(`#at-${section} .sum .line`).allTextContents()).map(plain);
const isInView = (locator) =>
    locator.evaluate((one) => {
        const { top, bottom, height } = one.getBoundingClientRect();
        return height > 0 && top >= 0 && bottom <= innerHeight;
    });
const causal = pageOf("causal", "causal");
const first = "#at-question .result td[role=gridcell]";

test(
    "it opens on the question: what a row means and why the rest is empty, in sight",
    onPage(causal, {}, async (page) => {
        await on(page, "#at-question h2").toHaveText("Why must a word not see the next one?");
        assert.equal(await page.locator(`${first}.hid`).count(), 15);
        await on(page, "#at-question .sel").toHaveText("row “journey”, column “Your”");
        const said = page.locator("#at-question .text p").first();
        const sentence = page.locator("#at-question .say");
        await expect(sentence).toHaveText(/^“journey” looks at: “Your”, “journey”\. Hidden/);
        await expect(sentence).toContainText("by the mask: “starts”, “with”, “one”, “step”. In training");
        assert.match(
            await said.textContent(),
            /^Each row belongs to one word, or token.*how much attention.*they add up to 1.*come later/
        );
        assert.ok(await isInView(page.locator(first).nth(35)));
        assert.ok(await isInView(said));
        // Only the program's numbers: the row of journey, as arcs, chips and cells.
        assert.deepEqual(await page.locator("#at-question .chips span").allTextContents(), [
            "0.5517",
            "0.4483",
            "–",
            "–",
            "–",
            "–"
        ]);
        await page.click("#at-question .chips button >> nth=3");
        await expect(sentence).toHaveText(/^“with” looks at: “Your”, “journey”, “starts”, “with”\./);
        assert.equal(await hashOf(page), "#causal/attn_weights_causal/3,0");
    })
);

test(
    "a letter is explained beside its formula, and the first figure needs none",
    onPage(causal, {}, async (page) => {
        assert.equal(await page.locator("#at-question :is(math, .line, .code)").count(), 0);
        for (const { name, formula } of stepsOf("causal").filter((one) => one.formula)) {
            await goTo(page, `#causal/${name}`);
            await resultOf(page, name).waitFor();
            const unknown = await page.locator("#view .formula").evaluateAll((all) =>
                all.flatMap((one) => {
                    const legend = one.textContent.replaceAll("\u00a0", " ");
                    const letters = [...one.querySelectorAll("mi:first-child, mrow > mi")]
                        .map((mi) => mi.textContent)
                        .filter((text) => /^\p{L}(?!\w)/u.test(text) && !/^[ijdp]$/.test(text));
                    return letters.filter((text) => !new RegExp(`${text}(_\\w+)? = `).test(legend));
                })
            );
            assert.deepEqual(unknown, [], `${name}: ${formula}`);
        }
        await goTo(page, "#causal");
        await page.click("#at-question .sum button");
        assert.equal(await hashOf(page), "#causal/attn_weights_causal/1,0");
        await on(page, "#at-mask .result").toBeInViewport();
    })
);

test(
    "dropout says what it does to the kept weights, and no error stands beside numbers that agree",
    onPage(causal, {}, async (page) => {
        const text = page.locator("#at-dropout .text");
        await expect(text).toContainText("With p = 0.5, each kept weight is multiplied by 1/(1-p) = 2.");
        await expect(text).toContainText("36 of 36 numbers agree");
        await expect(text.locator(".erratum").first()).toBeHidden();
        await expect(text.locator("summary")).toHaveText("Notes on the printed documents");
        await text.locator("summary").click();
        await expect(text.locator(".erratum").first()).toContainText("0 .0000");
    })
);

test(
    "all figures share one selection, which the pointer shows and a click keeps",
    onPage(causal, { hash: "#causal/attn_scores/1,0" }, async (page) => {
        const scores = "#at-scores .operands td.on";
        assert.deepEqual(await page.locator(scores).allTextContents(), [
            "0.9091",
            "−0.4471",
            "0.3147",
            "−0.4016"
        ]);
        assert.deepEqual(await linesIn(page, "scores"), [
            "attn_scores[1][0] = 0.9091·0.3147 + (-0.4471)·(-0.4016) = 0.4656"
        ]);
        const cell = resultOf(page, "attn_scores").locator("td[role=gridcell]").nth(13); // row 2, column 1
        await cell.hover();
        await on(page, "#at-question .say").toHaveText(/^“starts” looks at/);
        await on(page, "#at-mask .result tr.band th").toHaveText("starts");
        assert.match((await linesIn(page, "softmax")).at(-1), /^attn_weights\[2\]\[1\] = /);
        assert.equal(await hashOf(page), "#causal/attn_scores/1,0");
        await page.hover("#at-scores h2");
        await on(page, "#at-question .say").toHaveText(/^“journey” looks at/); // as the address says
        await cell.click();
        assert.equal(await hashOf(page), "#causal/attn_scores/2,1");
        await page.reload();
        await on(page, "#at-question .say").toHaveText(/^“starts” looks at/);
    })
);

test(
    "one word goes through three weights: queries, keys and values stand side by side, with their arithmetic",
    onPage(causal, { hash: "#causal/keys/2,1" }, async (page) => {
        const shown = (part, what) =>
            page.locator(`#at-projections ${part} table`).evaluateAll(
                (all, one) => all.map((table) => table.getAttribute(one)),
                what
            );
        assert.deepEqual(await shown(".operands", "aria-label"), ["inputs", "W_query", "W_key", "W_value"]);
        assert.deepEqual(await shown(".result", "aria-label"), ["queries", "keys", "values"]);
        const steps = stepsOf("causal");
        const marked = await page.locator("#at-projections .result td.on").allTextContents();
        const rows = ["queries", "keys", "values"].map((name) => steps.find((one) => one.name === name).data);
        assert.deepEqual(
            marked.map(plain),
            rows.map((data) => data[2][1].toFixed(4))
        );
        const lines = await linesIn(page, "projections");
        assert.deepEqual(
            lines.map((line) => line.split(" = ")[0]),
            ["queries[2][1]", "keys[2][1]", "values[2][1]"]
        );
        await page.click("#at-projections .result table[aria-label=values] td[role=gridcell] >> nth=0");
        assert.equal(await hashOf(page), "#causal/values/0,0");
        assert.equal(await page.evaluate(() => document.activeElement.closest("table").ariaLabel), "values");
    })
);

test(
    "a switch shows the stage without the mask: numbers, old values, words, code; Back undoes it",
    onPage(causal, {}, async (page) => {
        await page.click("#at-question [data-off=mask]");
        assert.equal(await page.locator(`${first}.hid`).count(), 0);
        assert.equal(await page.locator(`${first}.new`).count(), 30);
        assert.equal(
            plain(await page.textContent("#at-question .value")),
            "attn_weights_causal[1][0] = 0.5517 → 0.2041"
        );
        await on(page, "#at-question .say").toHaveText(
            "“journey” looks at: “Your”, “journey”, “starts”, “with”, “one”, “step”."
        );
        await on(page, ".lead").toHaveText(/with the mask off, each token looks at all tokens/);
        assert.match(await hashOf(page), /\?off=mask$/);
        await page.click(".map a[href*='/masked/']");
        await on(page, "#at-mask .choice [aria-pressed=true]").toHaveText("masked");
        assert.doesNotMatch(await page.textContent("#at-mask .code"), /masked_fill/);
        await page.goBack();
        await page.goBack();
        await on(page, "#at-question [data-off=mask]").toHaveAttribute("aria-checked", "true");
        assert.equal(await page.locator(`${first}.hid`).count(), 15);
    })
);

// Goes to a step and returns the numbers of its matrices, one after the other.
const numbersAt = (page, stage, step) =>
    page.evaluate(
        async ([hash, name]) => {
            const came = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
            location.hash = hash;
            await came;
            const tables = document.querySelectorAll(`.result table[aria-label="${name}"]`);
            const figure = tables[tables.length - 1].closest(".fig");
            const isText = (td) => td.firstChild?.nodeType === Node.TEXT_NODE;
            const shown = [];
            const matrices = figure.querySelectorAll(".multiples button").length;
            for (let i = 0; i < Math.max(1, matrices); ++i) {
                figure.querySelectorAll(".multiples button")[i]?.click();
                const table = figure.querySelector(`.result table[aria-label="${name}"]`);
                for (const td of table.querySelectorAll("td[role=gridcell]"))
                    shown.push(isText(td) ? td.firstChild.data.replaceAll("−", "-") : null);
            }
            return shown;
        },
        [`#${stage}/${step}`, step]
    );
test("every number of every step is the one that the program made", async ({ using }) => {
    for (const stage of ["causal", "multi-head"]) {
        await using(pageOf(stage, stage), {}, async (page) => {
            for (const step of stepsOf(stage)) assertNumbers(await numbersAt(page, stage, step.name), step);
        });
    }
});

const decimalsOf = (text) => (/\.(\d*)/.exec(text)?.[1] ?? "").length;
const exponentOf = (text) => Number(/e(.*)/.exec(text)?.[1] ?? 0);
// Names in the arithmetic. Results beyond float32 are infinite.
const { max, sin, cos, sqrt, abs, log } = Math;
const inRange = (x) => (abs(x) > 3.4028235e38 ? Math.sign(x) * Infinity : x);
const exp = (x) => inRange(Math.exp(x));
const names = { max, sin, cos, sqrt, abs, log, exp, inf: Infinity, nan: NaN, pi: Math.PI };
// Evaluates both sides of a line: [value, result, half a unit of the result].
function evaluated([, pieces, result]) {
    const script = pieces.map((piece) => (Array.isArray(piece) ? piece[0] : piece)).join("");
    const value = Function(...Object.keys(names), `return ${script}`)(...Object.values(names));
    const halfUnit = 0.5000001 * 10 ** (exponentOf(result) - max(decimalsOf(result), 4));
    return [inRange(Number(value)), Number(result.replace("inf", "Infinity")), halfUnit];
}
test("every line of arithmetic of every stage and of its variants is true as it is shown", () => {
    let exact = 0,
        nearly = 0;
    const wrong = [];
    for (const stage of JSON.parse(run("page all --backward --variants")).stages) {
        for (const one of stage.runs) {
            for (const line of one.arithmetic.filter(({ length }) => length > 1)) {
                const where = `${stage.name} ${one.id}: ${JSON.stringify(line)}`;
                let sides;
                try {
                    sides = evaluated(line);
                } catch (error) {
                    wrong.push(`${where}: ${error.message}`);
                    continue;
                }
                const [left, right, halfUnit] = sides;
                const isSame =
                    Object.is(left, right) ||
                    left === right ||
                    Math.fround(left) === right ||
                    abs(left - right) <= halfUnit;
                if (line[3] === "=") {
                    ++exact;
                    if (!isSame) wrong.push(`${where} comes to ${left}`);
                } else ++nearly;
            }
        }
    }
    assert.deepEqual(wrong.slice(0, 20), []);
    console.log(`${exact} lines of arithmetic evaluated, ${nearly} marked ≈`);
    assert.ok(exact > 10000 && nearly < exact / 18, `${exact} ${nearly}`);
});

// Lines of arguments whose pages say at random cells what a word looks at.
const own = lesson("own", ["a", "b", "a", "c", "d"]);
const spoken = [
    ["causal"],
    ["causal --lang zh --seed 5"],
    ["causal --set inputs[1][0]=0.95 --set W_key[0][1]=-3"],
    ["causal --text", "the cat sat on the mat"],
    ["causal --lang zh --text", "我 爱 自然语言"],
    ["causal --input", own]
];
test("what a word looks at and what is hidden from it is said truly at random cells", async ({ using }) => {
    let draw = 1;
    const random = (n) => (draw = (draw * 48271) % 2147483647) % n;
    for (const [i, [line, ...more]] of spoken.entries()) {
        const { words, stages } = JSON.parse(run(`page ${line}`, ...more, "--variants"));
        await using(pageOf("spoken" + i, line, ...more), {}, async (page) => {
            for (let k = 0; k < 25; ++k) {
                const { id, steps, axes } = stages[0].runs[random(stages[0].runs.length)];
                const { cells } = steps.find((one) => one.name === "attn_weights_causal");
                const names = axes.query.labels;
                const quoted = names.map((name) => `“${name}”`);
                const [row, column] = [random(names.length), random(names.length)];
                await goTo(page, `#causal/attn_weights_causal/${row},${column}${id && "?off=" + id}`);
                const later = id === "mask" ? [] : quoted.slice(row + 1);
                const seen = quoted.filter((_, n) => Number(cells[row * names.length + n]) > 0);
                const text = (key, ...values) => words[key].replace(/\{(\d)\}/g, (_, at) => values[at]);
                const why = later.length ? " " + text("looks_why", quoted[row], quoted[row + 1]) : "";
                const key = later.length ? "looks_masked" : "looks";
                await on(page, "#at-question .say").toHaveText(
                    text(key, quoted[row], seen.join(", "), later.join(", ")) + why
                );
                const shown = cells[row * names.length + column];
                await on(page, "#at-question .value .out").toHaveText(shown.replace("-", "−"));
            }
        });
    }
});

test(
    "the roads to the mask meet in equal numbers, and beside them stands what leaks without it",
    onPage(causal, { hash: "#causal/attn_weights_causal/1,0" }, async (page) => {
        const step = (name) => stepsOf("causal").find((one) => one.name === name).data;
        const mask = (part) => page.locator("#at-mask " + part);
        assert.equal(
            await mask(".operands > .note").textContent(),
            "Both roads end in the same 36 numbers, to the digits shown."
        );
        const weight = step("attn_weights")[1][2].toFixed(4);
        const seen = step("row_sums")[1][0].toFixed(4);
        const leak =
            `In training, “journey” must predict “starts”. Without the mask, “journey” gives ${weight} of ` +
            `its attention to “starts” itself. The words that it may see get ${seen}, ` +
            "the later words get the rest.";
        assert.equal(await mask(".leak p").first().textContent(), leak);
        assert.match(await mask(".split").textContent(), new RegExp(seen));
        await page.click("#at-mask [data-off=mask]"); // says the same about the row
        assert.equal(await mask(".leak p").first().textContent(), leak);
        await page.click("#at-mask .result tbody tr:last-child td:last-child");
        await on(page, "#at-mask .leak p").toHaveText(/^“step” is the last word/);
        await on(page, "header .note").toHaveText("In the book: 3.5.1, 3.5.2, figures 3.19 to 3.22.");
    })
);

test(
    "on small and zoomed screens a bar names the chosen cell, folds and covers no table",
    onPage(causal, { width: 640, height: 400, hash: "#causal/attn_scores/1,0" }, async (page) => {
        const bar = page.locator(".map");
        const bottom = () => bar.evaluate((one) => one.getBoundingClientRect().bottom);
        await on(page, ".map > summary").toHaveText(/^4 \/ 8 attn_scores\[1\]\[0\] = 0\.4656/);
        const row = await resultOf(page, "attn_scores").locator("tr.band").boundingBox();
        assert.ok((await bottom()) <= row.y, `${await bottom()} ${row.y}`);
        await page.click(".map > summary");
        await page.click(".map a[href*='/keys/']");
        await expect.poll(bottom).toBeLessThan(60);
    })
);

test(
    "the address leads to a cell; back, forward and reload do; any other address shows the article",
    onPage(causal, { hash: "#causal/attn_scores/1,0" }, async (page) => {
        assert.ok(await isInView(page.locator("#at-scores .figcaption, #at-scores figcaption").first()));
        await page.click("#at-scores .line button >> nth=0");
        assert.equal(await hashOf(page), "#causal/queries/1,0");
        await on(page, "#at-projections .value").toHaveText("queries[1][0] = 0.9091");
        await page.goBack();
        assert.equal(await hashOf(page), "#causal/attn_scores/1,0");
        await page.goForward();
        await page.reload();
        await on(page, "#at-projections .result tr.band th").toHaveText("journey");
        for (const hash of [
            "#%",
            "#causal/none/9",
            "#<img src=x>",
            "#causal/masked/99,99?off=none",
            "#causal/masked/"
        ]) {
            await goTo(page, hash);
            assert.equal(await page.locator(first).count(), 36, hash);
        }
    })
);

test(
    "by keyboard alone: cells, steps, operands; the focus is never lost",
    onPage(causal, { hash: "#causal/attn_scores/1,0" }, async (page) => {
        const focused = () =>
            page.evaluate(() =>
                [document.activeElement.nodeName, document.activeElement.textContent].join(" ")
            );
        await resultOf(page, "attn_scores").locator("td[tabindex='0']").focus();
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowRight");
        assert.equal(await focused(), "TD 0.1703");
        assert.equal(await hashOf(page), "#causal/attn_scores/2,1");
        await page.locator("#at-scores .line button").first().focus();
        await page.keyboard.press("Enter");
        assert.equal(await hashOf(page), "#causal/queries/2,0");
        assert.equal(await focused(), "TD 0.8960");
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press("ArrowRight"); // from figure to figure
        await on(page, ".map li.here").toContainText("One dot product");
    })
);

test(
    "operands, operator and result stand at the same place in every figure, and no token is cut",
    onPage(causal, {}, async (page) => {
        const places = new Set();
        for (const { name } of stepsOf("causal")) {
            await goTo(page, `#causal/${name}`);
            await resultOf(page, name).waitFor();
            const seen = await page.locator("section .fig").evaluateAll((all) =>
                all.map((one) => {
                    const left = (which) => Math.round(one.querySelector(which).getBoundingClientRect().left);
                    const isCut = [...one.querySelectorAll("th")].some(
                        (th) => th.scrollWidth > th.clientWidth + 1
                    );
                    return [left(".op"), left(".result"), isCut].join();
                })
            );
            for (const place of seen) places.add(place);
        }
        assert.deepEqual(
            [...places].filter((one) => one.endsWith("true")),
            []
        );
        assert.equal(places.size, 1, [...places].join(" "));
    })
);

test(
    "each stage is an article of the same figures, and each of its steps has an address in the map",
    onPage(pageOf("all", "all"), {}, async (page) => {
        const stages = await page
            .locator("[data-do=stage] option")
            .evaluateAll((all) => all.map((one) => one.value));
        assert.ok(stages.length > 20, String(stages));
        const data = await page.evaluate(() =>
            Object.fromEntries(
                JSON.parse(document.getElementById("data").textContent).stages.map(({ name, runs }) => [
                    name,
                    runs[0].steps.map((one) => one.name)
                ])
            )
        );
        for (const stage of stages) {
            await page.selectOption("[data-do=stage]", stage);
            const linked = await page
                .locator(".map .steps a")
                .evaluateAll((all) => all.map((one) => one.textContent));
            assert.deepEqual(linked.sort(), data[stage].sort(), stage);
            await page.locator(".map .steps a").last().click();
            await on(page, ".map [aria-current=step]").toBeVisible();
        }
    })
);

test("at 200 % zoom a linked cell shows its row; at 1920 px a figure fills the screen", async ({ using }) => {
    await using(causal, { width: 640, height: 400, hash: "#causal/attn_scores/1,0" }, async (page) => {
        assert.ok(await isInView(resultOf(page, "attn_scores").locator("tr.band")));
    });
    await using(causal, { width: 1920, height: 1080 }, async (page) => {
        const { left, right } = await page
            .locator("#at-scores")
            .evaluate((one) => one.getBoundingClientRect().toJSON());
        assert.ok(right - left > 1300, `${left} ${right}`);
        await page.click("[data-do=present]");
        for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
        await on(page, ".map li.here").toContainText("One dot product");
        assert.ok(await isInView(page.locator("#at-scores .fig")));
    });
});

test(
    "on a phone, no number touches the edge of its cell",
    onPage(causal, { width: 400 }, async (page) => {
        const touching = await page.locator(".m:not(.road) td[data-cell]").evaluateAll((all) =>
            all.flatMap((td) => {
                const text = td.firstChild;
                if (text?.nodeType !== Node.TEXT_NODE) return [];
                const range = document.createRange();
                range.selectNodeContents(text);
                const [box, cell] = [range.getBoundingClientRect(), td.getBoundingClientRect()];
                return box.left < cell.left + 1 || box.right > cell.right - 1 ? [text.data] : [];
            })
        );
        assert.deepEqual(touching, []);
        await page.click(".map > summary");
        await page.click(".map a[href*='/keys/']");
        await on(page, ".map").not.toHaveAttribute("open", "");
        assert.ok(await isInView(page.locator("#at-projections .result td[role=gridcell]").first()));
    })
);

test("the article reads as text and tables on paper and without a script", async ({ using }) => {
    const count = (page, what) => page.locator(`#plain ${what}:visible`).count();
    await using(causal, {}, async (page) => {
        assert.equal(await count(page, "figure"), 0);
        await page.emulateMedia({ media: "print" });
        assert.equal(await count(page, "figure"), 21);
        assert.equal(await page.isVisible("#view"), false);
    });
    await using(causal, { javaScriptEnabled: false, width: 400 }, async (page) => {
        assert.equal(await count(page, "table"), 21);
        const titles = stagesOf("causal").runs[0].sections.map((one) => one.title);
        assert.equal(titles.length, 8);
        assert.deepEqual(await page.locator("#plain h2").allTextContents(), titles);
        const weights = page.locator("#plain section >> nth=0 >> tr >> nth=2");
        assert.match(await weights.textContent(), /^journey0\.55170\.4483\s*$/);
        await on(page, "#plain section").toContainText("The cells right of the diagonal are empty");
        const scores = page.locator("#plain section >> nth=3 >> tr >> nth=1");
        assert.match(await scores.textContent(), /^Your0\.28990\.0716/);
        await assertFits(page, 400, "without a script");
    });
});

test("64 tokens and four heads: a page of at most 2 MB that follows the pointer", async ({ using }) => {
    const tokens = Array.from({ length: 64 }, (_, i) => "w" + i);
    const file = pageOf("64", "multi-head --heads 4 --d-out 8 --input", lesson("64", tokens));
    const { size } = statSync(file());
    assert.ok(size <= 2e6, String(size));
    await using(file, { hash: "#multi-head/attn_weights/0,3,10,2" }, async (page) => {
        const shown = resultOf(page, "attn_weights");
        assert.equal(await shown.locator("td[role=gridcell]").count(), 256);
        await on(page, "#at-heads .multiples [aria-pressed=true]").toHaveText(/head 4/);
        await shown.scrollIntoViewIfNeeded();
        const boxes = await shown
            .locator("td[role=gridcell]")
            .evaluateAll((all) => all.slice(100, 110).map((one) => one.getBoundingClientRect().toJSON()));
        const began = Date.now();
        for (const { x, y, width, height } of boxes) await page.mouse.move(x + width / 2, y + height / 2);
        console.log(`64 tokens × 4 heads: ${size} bytes, ${(Date.now() - began) / 10} ms for a hover`);
        await on(page, "#at-scores .sum").toContainText("explain multi-head");
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
        await on(page, "#at-question .result tbody th bdi >> nth=1").toHaveText("<img src=x onerror=alert…");
        assert.doesNotMatch(await page.textContent("#article"), /printed tables|figure 3\./);
    });
});

const zh = pageOf("zh", "causal --lang zh");
const rotary = pageOf("rotary", "rotary");
const gradients = pageOf("gradients", "training-step multi-head --backward");
const wide = ["light", 1280];
const narrow = ["dark", 400];
for (const [file, hash, ...screens] of [
    [causal, "#causal/attn_weights_causal/2,1?off=mask", wide, narrow, ["light", 1920]],
    [zh, "#causal/masked_simple", wide, narrow],
    [rotary, "#rotary", wide, narrow],
    [gradients, "#multi-head/attn_scores_grad", wide, narrow]
])
    test(`axe finds nothing, nothing sticks out and every target is large enough: ${hash}`, async ({
        using
    }) => {
        for (const [colorScheme, width] of screens)
            await using(file, { hash, width, colorScheme }, async (page) => {
                assert.deepEqual(await violations(page), [], `${colorScheme} ${width}`);
                await assertFits(page, width, String(width));
            });
    });
