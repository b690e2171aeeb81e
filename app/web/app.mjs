// The page around the program: a form that makes command lines, and what comes of them. Everything shown is text of the
// program, set as text; its own interactive page stands in a frame of its own.
import { words } from "./words.mjs";
import { filledRows, fileName, lessonOf, shellWord } from "./lesson.mjs";
import { Engine } from "./engine.mjs";

const byId = (id) => document.getElementById(id);
function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(name, value);
        else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return made;
}

const views = ["page", "text", "compare", "explain", "diagnose", "quiz", "download"];
// The command of a view; the others walk.
const commands = { compare: "compare", explain: "explain", diagnose: "diagnose", quiz: "quiz" };
// Options that stand in one view, and those of every view besides the parameters of stages. Files and numbers set have
// places of their own in the page.
const optionsOf = { text: ["step", "quiet", "rows", "heatmap"], diagnose: ["as", "search-seeds"] };
const general = ["layer", "head", "code", "precision"];
const elsewhere = ["input", "weights"];

const state = {
    language: /^zh\b/i.test(navigator.language) ? "zh" : "en", stage: "causal", view: "page", values: new Map(), files: [],
    ownWords: false,          // whether the sentence typed is another than the document's
    hash: "", sets: [],       // where the interactive page stands, and the numbers edited there
    answers: [], table: null, // answers of the quiz; what the command `form` says
};
const say = (key, ...values) => (words[state.language][key] ?? key).replace(/\{(\d)\}/g, (_, i) => values[i]);
const textOf = (id) => byId(id).textContent;
const engine = new Engine(textOf("worker"), textOf("module"), () => showBusy());
window.attnEngine = engine;  // for whoever tries it from the console

// --- command lines ---

const rowsOf = (view) => state.table.options.filter((row) => row.command === (commands[view] ?? "walk"));
const takes = (view, name) => rowsOf(view).some((row) => row.name === name);
const fits = (row) => !row.stages || state.stage === "all" || row.stages.includes(state.stage);
const isGeneral = (row) => (row.stages && !elsewhere.includes(row.name)) || general.includes(row.name);

// The options { args, files } of what is chosen, or { wrong } where the reader's own numbers are none.
function chosen(view) {
    const args = [];
    const files = Object.create(null);  // so that __proto__ is a name like any other
    for (const row of rowsOf(view)) {
        const value = state.values.get(row.name);
        const belongs = isGeneral(row) || (optionsOf[view] ?? []).includes(row.name) || (row.name === "step" && view === "download");
        if (!value || !belongs || !(fits(row) || view === "diagnose")) continue;
        const each = row.repeatable ? value.split(/[\s,]+/) : [value];
        args.push(...each.flatMap((one) => ["--" + row.name, ...(row.value ? [one] : [])]));
    }
    if (state.ownWords && takes(view, "input")) {
        const lesson = lessonOf(byId("tokens").value, byId("embeddings").value);
        if (lesson.wrong) return { args, files, wrong: say(...lesson.wrong) };
        args.push("--input", "lesson.json");
        files["lesson.json"] = lesson.text;
    }
    for (const { name, bytes, use } of state.files) {
        if (!elsewhere.includes(use) || !takes(view, use)) continue;
        args.push("--" + use, name);
        files[name] = bytes;
    }
    if (takes(view, "set") && view !== "page") args.push(...setOptions());
    if (state.language === "zh") args.push("--lang", "zh");
    return { args, files };
}
const setOptions = () => state.sets.flatMap((set) => ["--set", set]);
function commandOf(view) {
    const { args, files, wrong } = chosen(view);
    const stage = view === "diagnose" && !byId("only-stage").checked ? [] : [state.stage];
    const words = { explain: [byId("cell").value.trim() || "CELL"], diagnose: ["paste.txt"] }[view] ?? [];
    const more = { page: ["--out", "-.html"], explain: ["--depth", byId("depth").value.trim() || "1"],
        quiz: ["--count", byId("questions").value.trim() || "10", "--quiz-seed", byId("quiz-seed").value.trim() || "123"] }[view] ?? [];
    if (view === "diagnose") files["paste.txt"] = byId("paste").value;
    return { args: [...(commands[view] ? [commands[view]] : []), ...stage, ...words, ...args, ...more], files, wrong };
}
const spelled = (args) => ["attn-walkthrough", ...args].map(shellWord).join(" ");
function showCommand() {
    const { args } = commandOf(state.view);
    const shown = state.view === "page" ? [...args.slice(0, -1), "page.html", ...setOptions()] : args;
    byId("command").textContent = spelled(shown);
}

// --- what a run says ---

function complain(text) {
    const box = byId("error");
    const message = text.replace(/^attn-walkthrough: /gm, "").trim();
    box.hidden = message === "";
    if (box.textContent !== message) box.textContent = message;
    const named = /^--([\w-]+)/.exec(message)?.[1];
    for (const control of document.querySelectorAll("[data-option]")) {
        const isWrong = control.dataset.option === named;
        control.toggleAttribute("aria-invalid", isWrong);
        if (isWrong) {
            control.setAttribute("aria-invalid", "true");
            control.setAttribute("aria-describedby", "error");
        } else control.removeAttribute("aria-describedby");
    }
    byId("tokens").toggleAttribute("aria-invalid", false);
}
// Runs a command line in a slot; null where it was stopped or refused, of which the reader is told.
async function ask(slot, { args, files, wrong }, stdin = "") {
    if (wrong) {
        complain(wrong);
        return null;
    }
    const result = await engine.run(slot, args, { files, stdin });
    if (result.stopped) return null;
    complain(result.broken ? `${result.stderr}\n${say("broke")}` : result.code === 2 ? result.stderr : "");
    return result.code === 2 ? null : result;
}
const outputOf = (view) => byId("panel-" + view).querySelector("pre.output:last-of-type");

let shownPage = "", tallest = 0;
async function showPage(command) {
    const result = await ask("view", command);
    if (!result || state.view !== "page") return Boolean(result);
    const hash = state.hash.startsWith(`#${state.stage}/`) || state.stage === "all" ? state.hash : "";
    const frame = element("iframe", { sandbox: "allow-scripts allow-downloads", title: say("result") });
    if (shownPage) URL.revokeObjectURL(shownPage);
    shownPage = URL.createObjectURL(new Blob([result.stdout], { type: "text/html" }));
    frame.src = shownPage + hash;
    const before = byId("frame").firstElementChild;
    if (before) frame.style.height = before.style.height;
    tallest = 0;
    byId("frame").replaceChildren(frame);
    return true;
}
async function showOutput(view, command) {
    const result = await ask("view", command);
    if (result) outputOf(view).textContent = result.stdout;
    return Boolean(result);
}
async function showQuiz(command) {
    const answers = state.answers;
    const result = await ask("view", command, answers.map((one) => one + "\n").join(""));
    if (!result || state.answers !== answers) return Boolean(result);
    const parts = result.stdout.split(/^> ?/m);
    const done = parts.length === answers.length + 1;
    const [said, ...rest] = parts[answers.length].trim().split(/\n\s*\n/);
    const verdict = byId("verdict");
    verdict.hidden = answers.length === 0;
    verdict.textContent = answers.length ? said.slice(said.indexOf("\n") + 1) : "";
    outputOf("quiz").textContent = (answers.length ? rest : [said, ...rest]).join("\n\n");
    byId("answering").hidden = done;
    if (done) byId("quiz-restart").focus();
    return true;
}

// What each view shows was made by this; what is typed into a paste or an answer waits for its button.
const made = {};
async function refresh(force = false) {
    if (!state.table) return;
    showCommand();
    const { view } = state;
    if (view === "download" || (view === "diagnose" && !force)) return;
    if (view === "explain" && !byId("cell").value.trim()) return;
    const command = commandOf(view);
    const asked = JSON.stringify(command.args.filter((one) => one !== "--lang" && one !== "zh"));
    if (view === "quiz" && state.asked !== asked) Object.assign(state, { asked, answers: [] });  // other questions
    const key = JSON.stringify([command.args, Object.entries(command.files ?? {}).map(([name, data]) => [name, typeof data === "string" ? data : data.length]), view === "quiz" ? state.answers : "", command.wrong]);
    if (made[view] === key && !force) return complain("");
    made[view] = key;
    byId("panel-" + view).setAttribute("aria-busy", "true");
    const done = await (view === "page" ? showPage(command) : view === "quiz" ? showQuiz(command) : showOutput(view, command));
    if (made[view] !== key) return;
    byId("panel-" + view).removeAttribute("aria-busy");
    byId("panel-" + view).classList.toggle("stale", !done);
    if (!done) made[view] = "";
}
let waiting = 0;
function refreshSoon() {
    if (state.table) showCommand();
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 150);
}

// --- progress ---

let ticking = 0;
function showBusy() {
    clearInterval(ticking);
    const box = byId("busy");
    if (!engine.busy) {
        box.hidden = true;
        return;
    }
    ticking = setInterval(() => {
        const seconds = (performance.now() - (engine.began ?? performance.now())) / 1000;
        if (seconds < 0.3) return;
        box.hidden = false;
        byId("elapsed").textContent = say("elapsed", seconds.toFixed(1));
    }, 100);
}
byId("stop").addEventListener("click", () => {
    engine.stop();
    byId("said").textContent = say("stopped");
    byId("main").focus();
});

// --- the interactive page in its frame ---

addEventListener("message", async ({ source, data }) => {
    const frame = byId("frame").firstElementChild;
    if (!frame || source !== frame.contentWindow || typeof data !== "object" || data === null) return;
    if (Number.isFinite(data.height)) {  // it only grows, so that nothing moves under a reader's finger
        tallest = Math.min(20000, Math.max(400, tallest, Math.ceil(data.height)));
        frame.style.height = tallest + "px";
    }
    if (typeof data.at !== "string") return;
    state.hash = data.at;
    const [place, query = ""] = data.at.slice(1).split("?");
    const [stage, step, index] = place.split("/");
    if (index !== undefined) byId("cell").value = step + index.split(",").filter(Boolean).map((i) => `[${i}]`).join("");
    const pairs = query.split("&");
    const sets = pairs.map((pair) => /^(\w+)\[([\d,]*)\]=(-?[\d.e+-]+)$/i.exec(pair)).filter(Boolean)
        .map(([, name, at, value]) => name + at.split(",").filter(Boolean).map((i) => `[${i}]`).join("") + "=" + value);
    const changed = sets.join() !== state.sets.join();
    state.sets = sets;
    showCommand();
    if (!changed || !sets.length || pairs.some((pair) => pair.startsWith("off="))) return;
    const { args, files, wrong } = chosen("edit");
    const result = await ask("edit", { args: [stage, ...args, "--json", "-"], files, wrong });
    if (!result) return;
    const trace = JSON.parse(result.stdout).stages.find((one) => one.name === stage);
    frame.contentWindow?.postMessage({ of: data.at, values: Object.fromEntries(trace.steps.map(({ name, data: numbers }) => [name, [numbers].flat(9)])) }, "*");
});

// --- the form ---

function control(row) {
    const name = row.name;
    const set = (value) => {
        if (value) state.values.set(name, value);
        else state.values.delete(name);
        showChanged();
        refreshSoon();
    };
    const value = state.values.get(name) ?? "";
    const shared = { "data-option": name, id: "option-" + name };
    let field;
    if (!row.value) field = element("input", { ...shared, type: "checkbox", checked: value === "true", change: () => set(field.checked ? "true" : "") });
    else if (row.choices?.length) {
        field = element("select", { ...shared, change: () => set(field.value) }, element("option", { value: "" }, say("unset")),
            ...row.choices.map((choice) => element("option", { value: choice, selected: choice === value }, choice)));
    } else field = element("input", { ...shared, type: "text", spellcheck: "false", value, placeholder: row.value, input: () => set(field.value.trim()) });
    return element("div", { class: "option" }, element("label", { for: shared.id }, element("code", {}, "--" + name), " ", field), element("p", {}, row.help));
}
function showOptions() {
    byId("option-groups").replaceChildren(...rowsOf("text").filter((row) => isGeneral(row) && fits(row)).map(control));
    for (const [view, names] of Object.entries(optionsOf)) {
        const panel = byId("panel-" + view);
        const box = panel.querySelector(".options") ?? panel.insertBefore(element("div", { class: "options" }), outputOf(view));
        box.replaceChildren(...rowsOf(view).filter((row) => names.includes(row.name)).map(control));
    }
    showChanged();
}
// The options that are set, each a button that removes it.
function showChanged() {
    const set = rowsOf("text").filter((row) => state.values.has(row.name) && isGeneral(row) && fits(row));
    byId("changed").replaceChildren(...set.map((row) => element("button", { type: "button", "aria-label": say("unset_option", row.name),
        click: () => { state.values.delete(row.name); showOptions(); refreshSoon(); byId("stage").focus(); } },
    `--${row.name}${row.value ? " " + state.values.get(row.name) : ""} ×`)));
}
function showStages() {
    const all = [...state.table.stages.map(({ name, title }) => [name, `${name}: ${title}`]), ["all", say("all_stages")]];
    byId("stage").replaceChildren(...all.map(([value, label]) => element("option", { value, selected: value === state.stage }, label)));
}
function showFiles() {
    byId("file-list").replaceChildren(...state.files.map((file) => {
        const use = element("select", { "aria-label": say("use_file", file.name), change: () => { file.use = use.value; refreshSoon(); } },
            ...[["input", "as_input"], ["weights", "as_weights"], ["", "not_used"]].map(([value, key]) => element("option", { value, selected: value === file.use }, say(key))));
        return element("li", {}, element("bdi", {}, file.name), " ", use, " ",
            element("button", { type: "button", click: () => { state.files = state.files.filter((one) => one !== file); showFiles(); refreshSoon(); byId("files").focus(); } }, say("remove")));
    }));
}
async function take(list) {
    for (const given of list) {
        const bytes = new Uint8Array(await given.arrayBuffer());
        const isLesson = /\.json$/i.test(given.name) && /"embeddings"/.test(new TextDecoder().decode(bytes.subarray(0, 1 << 20)));
        const use = isLesson || /\.npy$/i.test(given.name) ? "input" : "weights";
        const others = state.files.filter((one) => one.given !== given.name);  // the same file again replaces the earlier one
        const name = fileName(given.name, others.map((one) => one.name));
        state.files = [...others.map((one) => (one.use === use ? { ...one, use: "" } : one)), { name, given: given.name, bytes, use }];
    }
    byId("own").open = true;
    showFiles();
    refreshSoon();
}
byId("files").addEventListener("change", () => take(byId("files").files));
for (const type of ["dragover", "drop"]) {
    addEventListener(type, (event) => {
        if (![...event.dataTransfer.types].includes("Files")) return;
        event.preventDefault();
        if (type === "drop") take(event.dataTransfer.files);
    });
}

let given = { tokens: "", embeddings: "" };
function ownTyped() {
    const same = byId("tokens").value.trim() === given.tokens && byId("embeddings").value.trim() === given.embeddings;
    state.ownWords = !same;
    refreshSoon();
}
for (const id of ["tokens", "embeddings"]) byId(id).addEventListener("input", ownTyped);
byId("fill").addEventListener("click", () => {
    byId("embeddings").value = filledRows(byId("tokens").value, byId("embeddings").value);
    ownTyped();
});
byId("forget-own").addEventListener("click", () => {
    byId("tokens").value = given.tokens;
    byId("embeddings").value = given.embeddings;
    ownTyped();
});
byId("stage").addEventListener("change", () => {
    state.stage = byId("stage").value;
    state.sets = [];
    showOptions();
    refreshSoon();
});
byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("copy").addEventListener("click", async () => {
    let done = true;
    try {
        await navigator.clipboard.writeText(textOf("command"));
    } catch {
        getSelection().selectAllChildren(byId("command"));
        done = document.execCommand("copy");
    }
    byId("said").textContent = done ? say("copied", textOf("command")) : say("not_copied");
});

// --- views ---

function showView(view, focus) {
    state.view = view;
    engine.stop("view");
    for (const tab of byId("tabs").children) {
        const on = tab.dataset.view === view;
        tab.setAttribute("aria-selected", String(on));
        tab.tabIndex = on ? 0 : -1;
        if (on && focus) tab.focus();
        byId("panel-" + tab.dataset.view).hidden = !on;
    }
    complain("");
    refresh();
}
function showTabs() {
    byId("tabs").replaceChildren(...views.map((view) => element("button", { type: "button", role: "tab", id: "tab-" + view, "data-view": view, "aria-controls": "panel-" + view,
        "aria-selected": String(view === state.view), tabindex: view === state.view ? 0 : -1, click: () => showView(view) }, say(view === "diagnose" ? "diagnose_tab" : view))));
    for (const view of views) byId("panel-" + view).setAttribute("aria-labelledby", "tab-" + view);
}
byId("tabs").addEventListener("keydown", ({ key }) => {
    const at = views.indexOf(state.view);
    const to = { ArrowRight: (at + 1) % views.length, ArrowLeft: (at + views.length - 1) % views.length, Home: 0, End: views.length - 1 }[key];
    if (to !== undefined) showView(views[to], true);
});
for (const id of ["cell", "depth"]) byId(id).addEventListener("input", refreshSoon);
byId("bottom").addEventListener("click", () => {
    byId("depth").value = "99";
    refresh();
});
byId("paste").addEventListener("input", showCommand);
byId("only-stage").addEventListener("change", showCommand);
byId("diagnose").addEventListener("click", () => refresh(true));

function restartQuiz() {
    state.answers = [];
    refreshSoon();
}
for (const id of ["questions", "quiz-seed"]) byId(id).addEventListener("input", restartQuiz);
byId("quiz-restart").addEventListener("click", () => {
    restartQuiz();
    byId("answering").hidden = false;
    byId("answer").focus();
});
function answer() {
    if (!byId("answer").value.trim()) return byId("answer").focus();
    state.answers = [...state.answers, byId("answer").value.trim()];
    byId("answer").value = "";
    byId("answer").focus();
    refresh();
}
byId("answer-go").addEventListener("click", answer);
byId("answer").addEventListener("keydown", (event) => { if (event.key === "Enter") answer(); });

const suffixes = ["json", "npz", "safetensors", "html", "ipynb", "md", "tex", "csv", "svg"];
function showDownloads() {
    byId("downloads").replaceChildren(...suffixes.map((suffix) => {
        const file = () => `${state.stage}.${suffix}`;
        return element("li", {}, element("button", { type: "button", "data-download": suffix, click: async () => {
            const { args, files, wrong } = commandOf("download");
            const result = await ask("download", { args: [...args, "--out", file()], files, wrong });
            if (!result) return;
            const link = element("a", { href: URL.createObjectURL(new Blob([result.files[file()]])), download: file() });
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 1000);
            byId("said").textContent = say("made", file());
        } }, suffix), " ", say("download_" + suffix));
    }));
}

// --- language and colours ---

async function speak(language) {
    state.language = language;
    document.documentElement.lang = language;
    for (const one of document.querySelectorAll("[data-word]")) one.textContent = say(one.dataset.word);
    for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", say(one.dataset.label));
    for (const one of document.querySelectorAll("[data-language]")) one.setAttribute("aria-pressed", String(one.dataset.language === language));
    showTabs();
    const table = await engine.run("options", ["form", ...(language === "zh" ? ["--lang", "zh"] : [])]);
    if (table.code !== 0 || table.stopped) return complain(table.stderr ?? "");
    state.table = JSON.parse(table.stdout);
    showStages();
    showOptions();
    showFiles();
    showDownloads();
    refresh();
}
byId("languages").addEventListener("click", ({ target }) => { if (target.dataset.language) speak(target.dataset.language); });
byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = getComputedStyle(root).colorScheme === "dark";
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
});

// The document's own sentence, to start from.
async function start() {
    await speak(state.language);
    const result = await engine.run("lesson", ["causal", "--step", "inputs", "--json", "-"]);
    if (result.code !== 0) return;
    const trace = JSON.parse(result.stdout);
    given = { tokens: trace.tokens.join(" "), embeddings: trace.stages[0].steps[0].data.map((row) => row.join(" ")).join("\n") };
    if (!byId("tokens").value && !byId("embeddings").value) {
        byId("tokens").value = given.tokens;
        byId("embeddings").value = given.embeddings;
    }
}
start();
