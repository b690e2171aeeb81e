// The program in a browser: the article, with controls that change what the program is run with. The address
// holds everything that is shown, except files; update() runs the program if the address needs other numbers.
import { readAddress, valueIn, withValue, writeAddress } from "../../data/page/address.mjs";
import { byId, element, morph } from "../../data/page/dom.mjs";
import { onScreen } from "../../data/page/numbers.mjs";
import { readPage } from "../../data/page/trace.mjs";
import { View } from "../../data/page/view.mjs";
import { Engine, inflated } from "./engine.mjs";
import { fileName, shellWord } from "./names.mjs";

// The texts of the page by language, from data/narration: join.py inserts them.
const words = JSON.parse(byId("words").textContent);
const languages = Object.keys(words);
const fileOptions = ["input", "weights"];

const state = {
    address: readAddress(location.hash),
    language: "",
    form: null, // the options, stages and suffixes, from the command `form`
    shown: null, // { key, hasVariants, page, before, hash }: what the article shows
    plain: null, // { key, hasVariants, page }: the last page without edited numbers
    files: {}, // { name, bytes } by the option that takes the file
    editing: "", // the cell whose number is being changed
    check: { input: null, text: "", tensors: [] }, // the answer about one paste
    quiz: { answers: [], key: "" }, // the key of the command whose questions are answered
};
const say = (key, ...values) => (words[state.language][key] ?? key).replace(/\{(\d)\}/g, (_, i) => values[i]);
const engine = new Engine(byId("worker").textContent, byId("module").textContent, showBusy);
window.attnEngine = engine; // for experiments in the console

// --- command lines ---

const option = (name, command = "walk") =>
    state.form?.options.find((one) => one.command === command && one.name === name);
// An unknown stage is known as such once the form is read.
const isStage = (name) => name && (!state.form || state.form.stages.some((one) => one.name === name));
const stageName = () => (isStage(state.address.stage) ? state.address.stage : "causal");
// Returns true for an option that the address can set: a parameter of the stage, or one of how it is written.
const isTaken = (row) =>
    row &&
    !fileOptions.includes(row.name) &&
    (row.stages ? row.stages.includes(stageName()) : /^(precision|code)$/.test(row.name));
// Returns the arguments and files that the address and the chosen files give a command.
function argumentsOf(command, { isPlain = false } = {}) {
    const args = [];
    const files = Object.create(null); // without a prototype, so that __proto__ is a name like any other
    for (const [name, value] of state.address.query) {
        const row = option(name, command);
        if (name === "set" ? isPlain || !row : !isTaken(row)) continue;
        args.push("--" + name, ...(row.value ? [value] : []));
    }
    for (const [use, { name, bytes }] of Object.entries(state.files)) {
        if (!option(use, command)) continue;
        args.push("--" + use, name);
        files[name] = bytes;
    }
    if (state.language !== languages[0]) args.push("--lang", state.language);
    return { args: [stageName(), ...args], files };
}
const keyOf = ({ args, files }) =>
    JSON.stringify([args, Object.entries(files).map(([name, data]) => [name, data.length])]);
const messageOf = ({ broken, code, stderr }) =>
    (broken ? `${stderr}\n${say("broke")}` : code === 2 ? stderr : "").trim();
function complain(message) {
    const box = byId("error");
    box.hidden = !message;
    if (box.textContent !== message) box.textContent = message;
    const named = /^--([\w-]+)/.exec(message)?.[1];
    for (const control of document.querySelectorAll("[data-option]"))
        control.ariaInvalid = control.dataset.option === named ? "true" : null;
}

// --- the one update: from the address to what is shown ---

const view = new View(byId("view"), {
    go: (isJump) => update(isJump),
    edit,
    control: (name) => isTaken(option(name)) && control(option(name)),
});
async function pageOf(slot, isPlain, hasVariants) {
    const command = argumentsOf("walk", { isPlain });
    const key = keyOf(command);
    const known = [state.shown, state.plain].find((one) => one?.key === key);
    if (known && known.hasVariants >= hasVariants) return known;
    const variants = hasVariants ? ["--variants"] : [];
    const result = await engine.run(slot, ["page", ...command.args, ...variants], { files: command.files });
    if (result.stopped || result.code === 2) return result;
    const made = { key, hasVariants, page: readPage(JSON.parse(result.stdout)) };
    if (!command.args.includes("--set")) state.plain = made;
    return made;
}
// The runs with something switched off take as long as several edits, so they follow when the reader pauses.
let adding = 0;
async function update(isJump = false, hasVariants = false) {
    clearTimeout(adding);
    state.address = readAddress(location.hash);
    const asked = valueIn(state.address.query, "lang");
    if (languages.includes(asked) && asked !== state.language) {
        showTexts(asked);
        await readForm();
    }
    drawForm();
    const { hash } = location;
    const hasEdits = state.address.query.some(([name]) => name === "set");
    const needs = hasVariants || valueIn(state.address.query, "off") !== "";
    const before = hasEdits ? await pageOf("before", true, needs) : null;
    if (before?.stopped) return;
    const made = before?.code === 2 ? before : await pageOf("view", false, needs);
    if (made.stopped || location.hash !== hash) return; // a later update answers
    if (!made.page || !hasVariants) complain(messageOf(made)); // what follows a pause clears no later message
    if (!made.page) return refuse(messageOf(made));
    const isNew = made.page !== state.shown?.page;
    state.shown = { ...made, hash, before: before?.page ?? null };
    document.body.classList.remove("stale");
    view.show(made.page, state.shown.before, { ...state.address, stage: stageName() }, isJump);
    if (isNew) drawEnd();
    if (!made.hasVariants) adding = setTimeout(update, 600, false, true);
}
// A number that the program refuses is taken back, with the reason beside its field. Anything else stays as
// typed.
function refuse(message) {
    if (!state.editing || !state.shown) return document.body.classList.toggle("stale", Boolean(state.shown));
    complain("");
    history.replaceState(history.state, "", state.shown.hash || location.pathname);
    state.address = readAddress(location.hash);
    view.refuse(message);
    drawForm();
    if (!state.shown.hasVariants) adding = setTimeout(update, 600, false, true);
}
// Changes the query. All changes of one cell while it is being edited are one step back in the history.
function change(query, isNew = true) {
    const hash = writeAddress({ ...state.address, stage: stageName(), query });
    if (hash !== location.hash) history[isNew ? "pushState" : "replaceState"](null, "", hash);
    return update();
}
function edit(cell, value) {
    const { query } = state.address;
    const others = query.filter(([name, text]) => name !== "set" || !text.startsWith(cell + "="));
    const isNew = state.editing !== cell;
    state.editing = cell;
    return change([...others, ["set", `${cell}=${value}`]], isNew);
}
// The presses and moves from here on are another change.
for (const type of ["pointerdown", "focusin"]) addEventListener(type, () => (state.editing = ""));
addEventListener("popstate", () => {
    state.editing = "";
    update(true);
});

// --- the form ---

function control(row, help = false) {
    const value = valueIn(state.address.query, row.name);
    const given = state.form.stages.find(({ name }) => name === stageName())?.defaults?.[row.name];
    const shared = { "data-option": row.name, id: (help ? "option-" : "in-figure-") + row.name };
    const field = !row.value
        ? element("input", { ...shared, type: "checkbox", checked: value === "true" })
        : row.choices?.length
          ? element(
                "select",
                shared,
                element("option", { value: "" }, say("unset")),
                row.choices.map((one) => element("option", { value: one, selected: one === value }, one)),
            )
          : element("input", {
                ...shared,
                type: row.is_number ? "number" : "text",
                min: row.is_number && 0,
                spellcheck: "false",
                value,
                placeholder: given ?? row.value,
            });
    return element(
        "div.option",
        element("label", { for: shared.id }, element("code", "--" + row.name), " ", field),
        help && element("p", row.help),
    );
}
let waiting = 0;
addEventListener("input", ({ target }) => {
    const { option: name } = target.dataset;
    if (!name) return;
    const value = target.type === "checkbox" ? (target.checked ? "true" : "") : target.value.trim();
    clearTimeout(waiting);
    waiting = setTimeout(() => {
        if (name === "text" && value)
            forget("input"); // an own sentence replaces the file
        change(withValue(state.address.query, name, value), history.state?.option !== name);
        history.replaceState({ option: name }, "", location.hash);
    }, 150);
});
function drawForm() {
    if (!state.form) return;
    const { query } = state.address;
    const rows = state.form.options.filter(
        (row) => row.command === "walk" && isTaken(row) && row.name !== "text",
    );
    morph(
        byId("stage"),
        element(
            "select",
            { id: "stage" },
            state.form.stages.map(({ name, title }) =>
                element("option", { value: name, selected: name === stageName() }, title),
            ),
        ),
    );
    if (byId("stage").value !== stageName()) byId("stage").value = stageName();
    morph(
        byId("option-groups"),
        element(
            "div",
            { id: "option-groups", role: "group", "aria-label": say("options") },
            rows.map((row) => control(row, true)),
        ),
    );
    morph(
        byId("downloads"),
        element(
            "ul",
            { id: "downloads" },
            state.form.suffixes.map((suffix) =>
                element(
                    "li",
                    element("button", { "data-download": suffix }, suffix),
                    " ",
                    say("download_" + suffix),
                ),
            ),
        ),
    );
    byId("own").hidden = !isTaken(option("text"));
    if (document.activeElement !== byId("text")) byId("text").value = valueIn(query, "text");
    const chip = (text, without) =>
        element(
            "button",
            { "data-without": JSON.stringify(without), title: say("unset_option", text) },
            text + " ×",
        );
    morph(
        byId("changed"),
        element(
            "span",
            { id: "changed", class: "group", role: "group", "aria-label": say("changed") },
            query
                .filter(([name]) => name === "set" || isTaken(option(name)))
                .concat(Object.entries(state.files).map(([use, { name }]) => [use, name]))
                .map(([name, value]) =>
                    chip(
                        name === "set"
                            ? value.replace("=", " = ")
                            : `--${name} ${option(name).value ? value : ""}`.trim(),
                        [name, value],
                    ),
                ),
        ),
    );
    byId("command").textContent = ["attn-walkthrough", ...argumentsOf("walk").args].map(shellWord).join(" ");
}
byId("changed").addEventListener("click", ({ target }) => {
    if (!target.dataset.without) return;
    const [name, value] = JSON.parse(target.dataset.without);
    forget(name);
    change(state.address.query.filter(([one, other]) => one !== name || other !== value));
    byId("stage").focus();
});
byId("stage").addEventListener("change", () => {
    const query = state.address.query.filter(([name]) => name !== "set" && name !== "off");
    history.pushState(null, "", writeAddress({ stage: byId("stage").value, step: "", index: null, query }));
    update(true);
});
byId("form").addEventListener("submit", (event) => event.preventDefault());
// --- files ---

function forget(use) {
    delete state.files[use];
    if (fileOptions.includes(use)) byId(use).value = "";
}
// Returns a file as arguments name it.
const read = async (given, taken = []) => ({
    name: fileName(given.name, taken),
    bytes: new Uint8Array(await given.arrayBuffer()),
});
for (const use of fileOptions)
    byId(use).addEventListener("change", async ({ target }) => {
        delete state.files[use];
        const taken = Object.values(state.files).map((one) => one.name);
        if (target.files.length) state.files[use] = await read(target.files[0], taken);
        // A file as input replaces the own sentence.
        change(use === "input" ? withValue(state.address.query, "text", "") : state.address.query, false);
    });
byId("documents").addEventListener("change", async ({ target }) => {
    if (target.files.length) check({ ...(await read(target.files[0])), isFile: true });
});

// --- progress ---

let ticking = 0;
function showBusy() {
    clearInterval(ticking);
    if (!engine.busy) {
        byId("busy").hidden = true;
        return;
    }
    ticking = setInterval(() => {
        const seconds = (performance.now() - (engine.began ?? performance.now())) / 1000;
        if (seconds < 0.3) return;
        byId("busy").hidden = false;
        byId("elapsed").textContent = say("elapsed", seconds.toFixed(1));
    }, 100);
}
byId("stop").addEventListener("click", () => {
    engine.stop();
    byId("spoken").textContent = say("stopped");
    byId("stage").focus();
});

// --- the reader's own tensors ---

// An answer belongs to its input: another input clears it, and an answer that comes late is dropped.
async function check(input) {
    const isOnly = byId("only-stage").checked;
    state.check = { input, text: "", tensors: [], isWaiting: true };
    drawCheck();
    const seeds = byId("search-seeds").checked ? ["--search-seeds"] : [];
    const language = state.language === languages[0] ? [] : ["--lang", state.language];
    const args = [
        "diagnose",
        ...(isOnly ? [stageName()] : []),
        input.name,
        ...seeds,
        ...language,
        "--json",
        "answer.json",
    ];
    const result = await engine.run("check", args, { files: { [input.name]: input.bytes } });
    if (state.check.input !== input || result.stopped) return;
    const answer = result.files?.["answer.json"];
    state.check = {
        input,
        text: result.code === 2 ? "" : result.stdout,
        wrong: messageOf(result),
        // The answer to a recording has layers instead of tensors.
        tensors: (answer && JSON.parse(new TextDecoder().decode(answer)).tensors) || [],
    };
    drawCheck();
}
// The pasted numbers as a table; where one differs, the right one stands beside it.
function pastedTable({ name, shape, comparison: { pasted, right, differing } }) {
    const columns = shape.at(-1) ?? 1;
    const cell = (text, i) =>
        element(
            "td",
            { class: differing.includes(i) && "differs" },
            onScreen(text),
            differing.includes(i) && [" → ", element("b", onScreen(right[i]))],
        );
    const rows = Array.from({ length: pasted.length / columns }, (_, r) => r * columns);
    return element(
        "table.m.plain.pasted",
        { tabindex: 0 },
        element("caption", name && name + ": ", say("differ", differing.length, pasted.length)),
        element(
            "tbody",
            rows.map((at) =>
                element(
                    "tr",
                    pasted.slice(at, at + columns).map((text, c) => cell(text, at + c)),
                ),
            ),
        ),
    );
}
function drawCheck() {
    const { input, text, wrong, tensors, isWaiting } = state.check;
    const known = tensors.map((one) => [one, one.matches?.[0]]).filter(([, match]) => match);
    morph(
        byId("answer"),
        element(
            "div",
            { id: "answer", "aria-live": "polite", "aria-busy": String(Boolean(isWaiting)) },
            input?.isFile && element("p.note", input.name),
            wrong && element("p.wrong", wrong),
            text && element("pre.output", { tabindex: 0, role: "group", "aria-label": say("output") }, text),
            tensors.filter((one) => one.comparison).map(pastedTable),
            known.length > 0 &&
                element(
                    "ul",
                    { "aria-label": say("in_article") },
                    known.map(([tensor, { stage, step }]) =>
                        element(
                            "li",
                            `${tensor.place ?? ""} → `,
                            element(
                                "a",
                                {
                                    href: writeAddress({ stage, step, index: null, query: [] }),
                                    "data-walk": "",
                                },
                                `${step} (${stage})`,
                            ),
                        ),
                    ),
                ),
        ),
    );
}
byId("answer").addEventListener("click", (event) => {
    const link = event.target.closest("[data-walk]");
    if (!link) return;
    event.preventDefault();
    history.pushState(null, "", link.getAttribute("href"));
    update(true);
});
byId("paste").addEventListener("input", () => {
    engine.stop("check");
    state.check = { input: null, text: "", tensors: [] };
    drawCheck();
});
// A text field with megabytes would hang the browser, so a long paste is treated as a file.
byId("paste").addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (text.length < 1 << 18) return;
    event.preventDefault();
    check({ name: "paste.txt", bytes: text, isFile: true });
});
byId("diagnose").addEventListener("click", () => {
    const text = byId("paste").value;
    if (text.trim()) return check({ name: "paste.txt", bytes: text });
    state.check = { input: null, text: "", tensors: [], wrong: say("nothing_pasted") };
    drawCheck();
    byId("paste").focus();
});

// --- the quiz ---

// Shows what was asked and answered so far, as the program prints it.
async function ask() {
    const { args, files } = argumentsOf("quiz");
    const { answers } = state.quiz;
    const seed = byId("quiz-seed").value || "123";
    const result = await engine.run("quiz", ["quiz", ...args, "--quiz-seed", seed], {
        files,
        stdin: answers.join(""),
    });
    if (result.stopped) return;
    complain(messageOf(result));
    byId("transcript").textContent = result.stdout;
    for (const id of ["transcript", "answering"]) byId(id).hidden = !result.stdout;
    byId("quiz-start").hidden = result.stdout;
}
function restartQuiz() {
    state.quiz.answers = [];
    ask();
}
byId("quiz-seed").addEventListener("change", restartQuiz);
byId("reply").addEventListener("keydown", ({ key, target }) => {
    if (key !== "Enter") return;
    state.quiz.answers.push(target.value + "\n");
    target.value = "";
    ask();
});

// --- downloads ---

function save(name, bytes) {
    const link = element("a", { href: URL.createObjectURL(new Blob([bytes])), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    byId("spoken").textContent = say("made", name);
}
function drawEnd() {
    const chosen = byId("one-step").value;
    morph(
        byId("one-step"),
        element(
            "select",
            { id: "one-step" },
            element("option", { value: "" }, say("all_steps")),
            view.run.steps.map(({ name }) => element("option", { selected: name === chosen }, name)),
        ),
    );
    const key = keyOf(argumentsOf("quiz"));
    if (state.quiz.key === key) return;
    state.quiz.key = key;
    if (!byId("transcript").hidden) restartQuiz();
}
byId("downloads").addEventListener("click", async ({ target }) => {
    const { download: suffix } = target.dataset;
    if (!suffix) return;
    const step = byId("one-step").value;
    const name = `${stageName()}.${suffix}`;
    if (/csv|svg/.test(suffix) && !step) {
        complain(say("ask_step", name));
        return byId("one-step").focus();
    }
    const { args, files } = argumentsOf("walk");
    const result = await engine.run("download", [...args, ...(step ? ["--step", step] : []), "--out", name], {
        files,
    });
    if (result.stopped) return;
    complain(messageOf(result));
    if (result.code !== 2) save(name, result.files[name]);
});

// --- language and start ---

function showTexts(language) {
    state.language = language;
    document.documentElement.lang = language;
    for (const one of document.querySelectorAll("[data-word]")) one.textContent = say(one.dataset.word);
    for (const one of document.querySelectorAll("[data-label]"))
        one.setAttribute("aria-label", say(one.dataset.label));
    for (const one of document.querySelectorAll("[data-language]"))
        one.setAttribute("aria-pressed", String(one.dataset.language === language));
}
async function readForm() {
    const form = await engine.run("options", [
        "form",
        ...(state.language === languages[0] ? [] : ["--lang", state.language]),
    ]);
    if (form.code === 0) state.form = JSON.parse(form.stdout);
    else complain(form.stderr ?? "");
}
byId("languages").append(
    ...languages.map((one) =>
        element("button", { lang: one, "data-language": one }, words[one].language_name),
    ),
);
byId("languages").addEventListener("click", ({ target }) => {
    if (target.dataset.language) change(withValue(state.address.query, "lang", target.dataset.language));
});
for (const button of document.querySelectorAll("[data-end]"))
    button.addEventListener("click", () => {
        const to = byId(button.dataset.end);
        to.scrollIntoView();
        to.focus({ preventScroll: true });
        if (to.id === "quiz" && byId("transcript").hidden) restartQuiz();
    });
async function start() {
    const asked = valueIn(state.address.query, "lang");
    const own = languages.find((one) => navigator.language.split("-")[0] === one) ?? languages[0];
    showTexts(languages.includes(asked) ? asked : own);
    // The first article is in this file. Without options in the address, none waits for the list of them.
    const page = readPage(await new Response(inflated(byId("first").textContent)).json());
    state.plain = { key: keyOf({ args: ["causal"], files: {} }), hasVariants: false, page };
    if (!state.address.query.length) update(true);
    await readForm();
    await update(!state.shown);
    if (byId("view").childElementCount === 0) complain(byId("error").textContent);
}
start();
