// The program in a browser: a form that builds command lines, and their results. Everything shown is either
// the program's text or the view of a page that it writes.
import { byId, element } from "../../data/page/dom.mjs";
import { readPage } from "../../data/page/trace.mjs";
import { View, copied } from "../../data/page/view.mjs";
import { fileName, filledRows, lessonOf, shellWord } from "./lesson.mjs";
import { Engine } from "./engine.mjs";

// The texts of the page by language, from data/narration: join.py inserts them.
const words = JSON.parse(byId("words").textContent);
const languages = Object.keys(words);
const languageArgs = (language) => (language === languages[0] ? [] : ["--lang", language]);

const views = ["page", "text", "compare", "explain", "diagnose", "quiz", "download"];
// The command of each view; the other views use walk.
const commands = { compare: "compare", explain: "explain", diagnose: "diagnose", quiz: "quiz" };
// Options that belong to one view, and options that every view has besides the stages' parameters. Files and
// edited numbers have their own places in the page.
const optionsOf = { text: ["step", "quiet", "rows", "heatmap"], diagnose: ["as", "search-seeds"] };
const general = ["layer", "head", "code", "precision"];
const elsewhere = ["input", "weights"];

const state = {
    language: languages.find((one) => navigator.language.split("-")[0] === one) ?? languages[0],
    stage: "causal",
    view: "page",
    values: new Map(),
    files: [],
    ownWords: false, // the user typed a sentence other than the document's
    sets: new Map(),
    undo: [], // edited numbers: cell → value; earlier states of the edits, for undo
    answers: [],
    table: null // answers to the quiz; the output of the command `form`
};
const say = (key, ...values) => (words[state.language][key] ?? key).replace(/\{(\d)\}/g, (_, i) => values[i]);
const textOf = (id) => byId(id).textContent;
const engine = new Engine(textOf("worker"), textOf("module"), () => showBusy());
window.attnEngine = engine; // for experiments in the console

// --- command lines ---

const rowsOf = (view) => state.table.options.filter((row) => row.command === (commands[view] ?? "walk"));
const takes = (view, name) => rowsOf(view).some((row) => row.name === name);
const fits = (row) => !row.stages || state.stage === "all" || row.stages.includes(state.stage);
const isGeneral = (row) => (row.stages && !elsewhere.includes(row.name)) || general.includes(row.name);

// Returns the selected options { args, files }, and { wrong } if the user's own numbers are invalid.
function chosen(view) {
    const args = [];
    const files = Object.create(null); // without a prototype, so that __proto__ is a name like any other
    for (const row of rowsOf(view)) {
        const value = state.values.get(row.name);
        const belongs = isGeneral(row) || (optionsOf[view] ?? []).includes(row.name);
        if (!value || !belongs || !(fits(row) || view === "diagnose")) continue;
        const each = row.repeatable ? value.split(/[\s,]+/) : [value];
        args.push(...each.flatMap((one) => ["--" + row.name, ...(row.value ? [one] : [])]));
    }
    if (state.ownWords && takes(view, "input")) {
        const lesson = lessonOf(byId("tokens").value, byId("embeddings").value, given);
        if (lesson.wrong) return { args, files, wrong: true };
        args.push("--input", "lesson.json");
        files["lesson.json"] = lesson.text;
    }
    for (const { name, bytes, use } of state.files) {
        if (!elsewhere.includes(use) || !takes(view, use)) continue;
        args.push("--" + use, name);
        files[name] = bytes;
    }
    if (takes(view, "set"))
        args.push(...[...state.sets].flatMap(([cell, value]) => ["--set", `${cell}=${value}`]));
    if (view === "download" && byId("one-step").value) args.push("--step", byId("one-step").value);
    args.push(...languageArgs(state.language));
    return { args, files };
}
function commandOf(view) {
    const { args, files, wrong } = chosen(view);
    const stage = view === "diagnose" && !byId("only-stage").checked ? [] : [state.stage];
    const words = { explain: [byId("cell").value.trim() || "CELL"], diagnose: ["paste.txt"] }[view] ?? [];
    const more =
        {
            page: ["--out", "-.html"],
            explain: ["--depth", byId("depth").value.trim() || "1"],
            quiz: [
                "--count",
                byId("questions").value.trim() || "10",
                "--quiz-seed",
                byId("quiz-seed").value.trim() || "123"
            ]
        }[view] ?? [];
    if (view === "diagnose") files["paste.txt"] = byId("paste").value;
    return {
        args: [...(commands[view] ? [commands[view]] : []), ...stage, ...words, ...args, ...more],
        files,
        wrong
    };
}
const spelled = (args) => ["attn-walkthrough", ...args].map(shellWord).join(" ");
function showCommand() {
    if (!state.table) return;
    const { args, files } = commandOf(state.view);
    byId("lesson-file").hidden = !files["lesson.json"];
    byId("command").textContent = spelled(state.view === "page" ? [...args.slice(0, -1), "page.html"] : args);
    byId("copy").disabled = false; // the first page is shown before the command is known
}

// --- output of a run ---

function complain(text) {
    const box = byId("error");
    const message = text.replace(/^attn-walkthrough: /gm, "").trim();
    box.hidden = message === "";
    if (box.textContent !== message) box.textContent = message;
    const named = /^--([\w-]+)/.exec(message)?.[1];
    for (const control of document.querySelectorAll("[data-option]")) {
        const isWrong = control.dataset.option === named;
        for (const [name, value] of [
            ["aria-invalid", "true"],
            ["aria-describedby", "error"]
        ])
            isWrong ? control.setAttribute(name, value) : control.removeAttribute(name);
    }
}
const messageOf = (result) =>
    result.broken ? `${result.stderr}\n${say("broke")}` : result.code === 2 ? result.stderr : "";
// Runs a command line in a slot and returns its result, or null if it was stopped or rejected. The message of
// a rejection is shown to the user.
async function ask(slot, { args, files, wrong }, input = {}) {
    if (wrong) {
        complain(""); // the message is beside the numbers
        return null;
    }
    const result = await engine.run(slot, args, { files, ...input });
    if (result.stopped) return null;
    complain(messageOf(result));
    return result.code === 2 ? null : result;
}
const outputOf = (view) => byId("panel-" + view).querySelector("pre.output");

// --- the view of the page that the program writes ---

const view = new View(byId("view"), byId("steps"), {
    titled: true,
    query,
    moved() {
        byId("cell").value = view.cell;
        showCommand();
    },
    edit(cell, value) {
        if (!typing) state.undo.push(state.sets);
        typing = true;
        state.sets = new Map(state.sets).set(cell, value);
        showChanged();
        edit();
    }
});
addEventListener("change", () => {
    typing = false;
});
let typing = false; // whether the last edit is still going on: one step of undo
let accepted = state.sets; // the edits of the page shown
let asRun = null; // { key, page } of the page shown without edits
let opened = null; // { key, made }: the first page, made before the options are known
async function pageOf(slot, command) {
    if (opened?.key === command.args.join(" ") && Object.keys(command.files).length === 0) return opened.made;
    const result = await engine.run(slot, command.args, { files: command.files });
    if (result.stopped || result.code === 2) return result;
    // Our content security policy would report the style.
    const withoutStyle = result.stdout.replace(/<style>[^]*?<\/style>/, "");
    const written = new DOMParser().parseFromString(withoutStyle, "text/html");
    return { ...result, page: readPage(written), steps: [...written.getElementById("steps").children] };
}
const keyOf = (args, command) =>
    JSON.stringify([
        args,
        command.files["lesson.json"],
        state.files.map((one) => [one.name, one.bytes.length, one.use])
    ]);
let shownKey = ""; // the key of the shown page's command
function present(command, { page, steps }, before) {
    byId("steps").replaceChildren(...steps);
    view.show(page, before);
    view.isStale = false;
    shownKey = keyOf(command.args, command);
}
async function showPage(command) {
    const sets = state.sets;
    const hash = location.hash;
    const key = keyOf(
        command.args.filter((one, i, all) => one !== "--set" && all[i - 1] !== "--set"),
        command
    );
    if (sets.size && asRun?.key !== key) {
        state.sets = new Map();
        asRun = { key, page: (await pageOf("before", commandOf("page"))).page };
        state.sets = sets;
    }
    const result = command.wrong ? { code: 2, stderr: "" } : await pageOf("view", command);
    if (result.stopped || state.view !== "page") return !result.stopped;
    complain(messageOf(result));
    if (!result.page) return false;
    if (!sets.size) asRun = { key, page: result.page };
    present(command, result, sets.size ? asRun.page : null);
    accepted = sets;
    const stayed = location.hash === hash;
    if ((hash || query()) && stayed) history.replaceState(null, "", view.addressOf());
    return true;
}
// The program may be slower than the edits: the last edit wins, and a rejected one is undone.
let editing = false,
    again = false;
async function edit() {
    again = true;
    if (editing || !state.table) return;
    editing = true;
    while (again) {
        again = false;
        const done = await showPage(commandOf("page"));
        if (!done && !again && state.sets !== accepted) {
            const said = textOf("error") || textOf("own-wrong");
            state.sets = accepted;
            if (state.undo.at(-1) === accepted) state.undo.pop();
            typing = false;
            complain("");
            view.refuse(said);
        }
    }
    editing = false;
    showChanged();
    showCommand();
    history.replaceState(null, "", view.addressOf());
}
// Returns the part of the user's choices that belongs in the address, besides the place.
function query() {
    const pairs = [...state.values].filter(([, value]) => value);
    if (state.ownWords)
        pairs.push(["tokens", byId("tokens").value], ["embeddings", byId("embeddings").value]);
    for (const [cell, value] of state.sets) pairs.push(["set", `${cell}=${value}`]);
    if (state.view !== "page") pairs.push(["view", state.view]);
    if (state.language !== languages[0]) pairs.push(["lang", state.language]);
    return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}
function readAddress() {
    const [place, text = ""] = location.hash.slice(1).split("?");
    const stage = place.split("/")[0];
    if (state.table?.stages.some((one) => one.name === stage) || stage === "all") state.stage = stage;
    Object.assign(state, { values: new Map(), sets: new Map(), undo: [], view: "page" });
    const own = {};
    for (const pair of text.split("&").filter(Boolean)) {
        const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)].map(
            (one) => {
                try {
                    return decodeURIComponent(one);
                } catch {
                    return "";
                }
            }
        );
        const set = /^(\w+(?:\[\d+\])*)=(\S+)$/.exec(value);
        if (name === "set" && set) state.sets.set(set[1], set[2]);
        else if (name === "view" && views.includes(value)) state.view = value;
        else if (name === "tokens" || name === "embeddings") own[name] = value;
        else if (state.table?.options.some((row) => row.name === name)) state.values.set(name, value);
    }
    byId("tokens").value = own.tokens ?? given.tokens;
    byId("embeddings").value = own.embeddings ?? given.embeddings;
    readOwn();
}
async function follow() {
    if (!state.table) return view.page && view.follow(location.hash);
    const before = state.view;
    readAddress();
    const command = commandOf("page");
    if (before === "page" && state.view === before && view.page && keyOf(command.args, command) === shownKey)
        return view.follow(location.hash);
    view.isStale = true; // the shown page belongs to another address until the program has answered
    showStages();
    showOptions();
    await showView(state.view, false);
    if (state.view === "page" && view.page) view.follow(location.hash);
}
addEventListener("popstate", follow);

async function showOutput(view, command) {
    const result = await ask("view", command);
    if (result) outputOf(view).textContent = result.stdout;
    return Boolean(result);
}
async function showQuiz(command) {
    const { answers } = state;
    const result = await ask("view", command, {
        stdin: answers.map((one) => one + "\n").join(""),
        terminal: true
    });
    if (!result || state.answers !== answers) return Boolean(result);
    // The first question, and what each answer was followed by: a verdict with the next question or the
    // score, or a hint, after which the program asks the same question again.
    const replies = result.stdout.split(/^> /m);
    const turns = replies.slice(0, answers.length + 1).map((reply, i) => {
        const [said, ...rest] = i ? reply.trim().split(/\n\s*\n/) : ["", reply.trim()];
        return { said, question: rest.join("\n\n") };
    });
    const { said, question } = turns.at(-1);
    const [hint, , cell] = question
        ? [""]
        : said.split(/\n(.*\n +attn-walkthrough explain .*?'?([\w[\]]+)'?)$/);
    for (const [id, text] of [
        ["verdict", question && said],
        ["hint", hint]
    ]) {
        byId(id).hidden = !text;
        byId(id).textContent = text;
    }
    outputOf("quiz").textContent = turns.findLast((turn) => turn.question).question;
    const done = replies.length === turns.length;
    byId("answering").hidden = done;
    byId("answer-explain").hidden = !cell;
    byId("answer-explain").value = cell;
    if (done) byId("quiz-restart").focus();
    return true;
}

// The command that made the content of each view. Text typed into a paste or an answer is used only when its
// button is pressed.
const made = {};
async function refresh(force = false) {
    if (!state.table) return;
    showCommand();
    const { view } = state;
    if (view === "download" || (view === "diagnose" && !force)) return;
    if (view === "explain" && !byId("cell").value.trim()) return;
    const command = commandOf(view);
    const asked = JSON.stringify(
        command.args.filter((one, i, all) => one !== "--lang" && all[i - 1] !== "--lang")
    );
    // Different questions have no answers yet.
    if (view === "quiz" && state.asked !== asked) Object.assign(state, { asked, answers: [] });
    const key = JSON.stringify([
        command.args,
        Object.entries(command.files ?? {}).map(([name, data]) => [
            name,
            typeof data === "string" ? data : data.length
        ]),
        view === "quiz" ? state.answers : "",
        command.wrong
    ]);
    if (made[view] === key && !force) return complain("");
    made[view] = key;
    if (command.wrong) byId("own").open = true;
    byId("panel-" + view).setAttribute("aria-busy", "true");
    const done = await (view === "page"
        ? showPage(command)
        : view === "quiz"
          ? showQuiz(command)
          : showOutput(view, command));
    if (made[view] !== key) return;
    byId("panel-" + view).removeAttribute("aria-busy");
    byId("panel-" + view).classList.toggle("stale", !done);
    if (!done) made[view] = "";
}
let waiting = 0;
function refreshSoon() {
    showCommand();
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
    byId("spoken").textContent = say("stopped");
    byId("stage").focus();
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
    if (!row.value)
        field = element("input", {
            ...shared,
            type: "checkbox",
            checked: value === "true",
            change: () => set(field.checked ? "true" : "")
        });
    else if (row.choices?.length) {
        field = element(
            "select",
            { ...shared, change: () => set(field.value) },
            element("option", { value: "" }, say("unset")),
            ...row.choices.map((choice) =>
                element("option", { value: choice, selected: choice === value }, choice)
            )
        );
    } else
        field = element("input", {
            ...shared,
            type: "text",
            spellcheck: "false",
            value,
            placeholder: row.value,
            input: () => set(field.value.trim())
        });
    return element(
        "div",
        { class: "option" },
        element("label", { for: shared.id }, element("code", {}, "--" + name), " ", field),
        element("p", {}, row.help)
    );
}
function showOptions() {
    byId("option-groups").replaceChildren(
        ...rowsOf("text")
            .filter((row) => isGeneral(row) && fits(row))
            .map(control)
    );
    for (const [view, names] of Object.entries(optionsOf)) {
        const panel = byId("panel-" + view);
        const box =
            panel.querySelector(".options") ??
            panel.insertBefore(element("div", { class: "options" }), outputOf(view));
        box.replaceChildren(
            ...rowsOf(view)
                .filter((row) => names.includes(row.name))
                .map(control)
        );
    }
    showChanged();
}
// Goes back to earlier edits. edit() has shown other numbers since, so refresh() must make the page again.
function takeBack(sets) {
    state.sets = sets;
    made.page = "";
}
// Shows the changed options and numbers, each as a button that removes the change.
function showChanged() {
    const chip = (text, name, drop) =>
        element(
            "button",
            {
                type: "button",
                title: say("unset_option", name),
                click: () => {
                    drop();
                    showOptions();
                    refreshSoon();
                    byId("stage").focus();
                }
            },
            text + " ×"
        );
    const set = rowsOf("text").filter((row) => state.values.has(row.name) && isGeneral(row) && fits(row));
    byId("changed").replaceChildren(
        ...set.map((row) =>
            chip(`--${row.name}${row.value ? " " + state.values.get(row.name) : ""}`, "--" + row.name, () =>
                state.values.delete(row.name)
            )
        ),
        ...[...state.sets].map(([cell, value]) =>
            chip(`${cell} = ${value}`, cell, () => {
                state.undo.push(state.sets);
                takeBack(new Map([...state.sets].filter(([name]) => name !== cell)));
            })
        )
    );
    byId("undo").hidden = state.undo.length === 0;
}
byId("undo").addEventListener("click", () => {
    takeBack(state.undo.pop() ?? new Map());
    showChanged();
    refreshSoon();
});
function showStages() {
    const all = [...state.table.stages.map(({ name, title }) => [name, title]), ["all", say("all_stages")]];
    byId("stage").replaceChildren(
        ...all.map(([value, label]) => element("option", { value, selected: value === state.stage }, label))
    );
}
function showFiles() {
    byId("file-list").replaceChildren(
        ...state.files.map((file) => {
            const use = element(
                "select",
                {
                    "aria-label": say("use_file", file.name),
                    change: () => {
                        file.use = use.value;
                        refreshSoon();
                    }
                },
                ...[
                    ["input", "as_input"],
                    ["weights", "as_weights"],
                    ["", "not_used"]
                ].map(([value, key]) => element("option", { value, selected: value === file.use }, say(key)))
            );
            return element(
                "li",
                {},
                element("bdi", {}, file.name),
                " ",
                use,
                " ",
                element(
                    "button",
                    {
                        type: "button",
                        click: () => {
                            state.files = state.files.filter((one) => one !== file);
                            showFiles();
                            refreshSoon();
                            byId("files").focus();
                        }
                    },
                    say("remove")
                )
            );
        })
    );
}
async function take(list) {
    for (const given of list) {
        const bytes = new Uint8Array(await given.arrayBuffer());
        const text = new TextDecoder().decode(bytes.subarray(0, 1 << 20));
        const use = /\bW_[qkv]|\.weight\b/i.test(text) ? "weights" : "input";
        // The same file again replaces the earlier one.
        const others = state.files.filter((one) => one.given !== given.name);
        const name = fileName(
            given.name,
            others.map((one) => one.name)
        );
        state.files = [
            ...others.map((one) => (one.use === use ? { ...one, use: "" } : one)),
            { name, given: given.name, bytes, use }
        ];
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
function readOwn() {
    const same =
        byId("tokens").value.trim() === given.tokens && byId("embeddings").value.trim() === given.embeddings;
    state.ownWords = !same;
    const { wrong } = same ? {} : lessonOf(byId("tokens").value, byId("embeddings").value, given);
    byId("own-wrong").textContent = wrong ? say(...wrong) : "";
    byId("fill").hidden = wrong?.[0] !== "missing";
    byId("forget-own").hidden = same;
}
function ownTyped() {
    readOwn();
    refreshSoon();
}
for (const id of ["tokens", "embeddings"]) byId(id).addEventListener("input", ownTyped);
for (const how of ["random", "zeros"]) {
    byId("fill-" + how).addEventListener("click", () => {
        byId("embeddings").value = filledRows(
            byId("tokens").value,
            byId("embeddings").value,
            given,
            how === "random"
        );
        ownTyped();
    });
}
byId("forget-own").addEventListener("click", () => {
    byId("tokens").value = given.tokens;
    byId("embeddings").value = given.embeddings;
    ownTyped();
});
byId("stage").addEventListener("change", () => {
    state.stage = byId("stage").value;
    Object.assign(state, { sets: new Map(), undo: [] });
    view.state.step = "";
    history.pushState(null, "", `#${state.stage}${query() && "?" + query()}`);
    follow();
});
byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    if (state.view !== "page") showView("page");
    view.skip();
});
byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("copy").addEventListener("click", async () => {
    byId("copy").textContent = byId("spoken").textContent = (await copied(textOf("command")))
        ? say("copied", textOf("command"))
        : say("not_copied");
    setTimeout(() => {
        byId("copy").textContent = say("copy");
    }, 2500);
});

// --- views ---

function showView(view, focus) {
    state.view = view;
    engine.stop("view");
    if (focus !== false && location.hash)
        history.replaceState(null, "", `${location.hash.split("?")[0]}?${query()}`);
    for (const tab of byId("tabs").children) {
        const on = tab.dataset.view === view;
        tab.setAttribute("aria-selected", String(on));
        tab.tabIndex = on ? 0 : -1;
        if (on && focus) tab.focus();
        byId("panel-" + tab.dataset.view).hidden = !on;
    }
    complain("");
    if (view === "download") showDownloads();
    return refresh();
}
function showTabs() {
    byId("tabs").replaceChildren(
        ...views.map((view) =>
            element(
                "button",
                {
                    type: "button",
                    role: "tab",
                    id: "tab-" + view,
                    "data-view": view,
                    "aria-controls": "panel-" + view,
                    "aria-selected": String(view === state.view),
                    tabindex: view === state.view ? 0 : -1,
                    click: () => showView(view)
                },
                say(view === "diagnose" ? "diagnose_tab" : view)
            )
        )
    );
    for (const view of views) byId("panel-" + view).setAttribute("aria-labelledby", "tab-" + view);
}
byId("tabs").addEventListener("keydown", ({ key }) => {
    const at = views.indexOf(state.view);
    const to = {
        ArrowRight: (at + 1) % views.length,
        ArrowLeft: (at + views.length - 1) % views.length,
        Home: 0,
        End: views.length - 1
    }[key];
    if (to !== undefined) showView(views[to], true);
});
for (const id of ["cell", "depth"]) byId(id).addEventListener("input", refreshSoon);
byId("bottom").addEventListener("click", () => {
    byId("depth").value = "99";
    refresh();
});
byId("paste").addEventListener("input", () => {
    outputOf("diagnose").textContent = ""; // the verdict belonged to a different paste
    showCommand();
});
byId("only-stage").addEventListener("change", showCommand);
byId("diagnose").addEventListener("click", () => {
    if (byId("paste").value.trim()) return refresh(true);
    outputOf("diagnose").textContent = "";
    complain(say("nothing_pasted"));
    byId("paste").focus();
});

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
function answer(text) {
    state.answers = [...state.answers, text.trim()];
    byId("answer").value = "";
    byId("answer").focus();
    refresh();
}
byId("answer-go").addEventListener("click", () => answer(byId("answer").value));
byId("answer-hint").addEventListener("click", () => answer("?"));
byId("answer").addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter") answer(target.value);
});
byId("answer-explain").addEventListener("click", ({ target }) => {
    byId("cell").value = target.value;
    showView("explain", true);
});

function save(name, bytes) {
    const link = element("a", { href: URL.createObjectURL(new Blob([bytes])), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    byId("spoken").textContent = say("made", name);
}
byId("download-lesson").addEventListener("click", () =>
    save("lesson.json", commandOf("download").files["lesson.json"])
);

const suffixes = ["json", "npz", "safetensors", "html", "ipynb", "md", "tex", "csv", "svg"];
function showDownloads() {
    byId("one-step").replaceChildren(
        element("option", { value: "" }, say("all_steps")),
        ...(view.page ? view.run.steps : []).map(({ name }) => element("option", {}, name))
    );
    byId("downloads").replaceChildren(
        ...suffixes.map((suffix) => {
            const file = () => `${state.stage}.${suffix}`;
            return element(
                "li",
                {},
                element(
                    "button",
                    {
                        type: "button",
                        "data-download": suffix,
                        click: async () => {
                            if (/csv|svg/.test(suffix) && !byId("one-step").value) {
                                complain(say("ask_step", file()));
                                return byId("one-step").focus();
                            }
                            const { args, files, wrong } = commandOf("download");
                            const result = await ask("download", {
                                args: [...args, "--out", file()],
                                files,
                                wrong
                            });
                            if (!result) return;
                            save(file(), result.files[file()]);
                        }
                    },
                    suffix
                ),
                " ",
                say("download_" + suffix)
            );
        })
    );
}

// --- language and colours ---

function showWords(language) {
    state.language = language;
    document.documentElement.lang = language;
    for (const one of document.querySelectorAll("[data-word]")) one.textContent = say(one.dataset.word);
    for (const one of document.querySelectorAll("[data-label]"))
        one.setAttribute("aria-label", say(one.dataset.label));
    for (const one of document.querySelectorAll("[data-language]"))
        one.setAttribute("aria-pressed", String(one.dataset.language === language));
    showTabs();
}
async function speak(language, isStart) {
    showWords(language);
    const table = await engine.run("options", ["form", ...languageArgs(language)]);
    if (table.code !== 0 || table.stopped) return complain(table.stderr ?? "");
    state.table = JSON.parse(table.stdout);
    showFiles();
    showDownloads();
    if (isStart && location.hash) readAddress();
    else readOwn();
    showStages();
    showOptions();
    return isStart && location.hash ? follow() : refresh();
}
byId("languages").append(
    ...languages.map((one) =>
        element("button", { type: "button", lang: one, "data-language": one }, words[one].language_name)
    )
);
byId("languages").addEventListener("click", ({ target }) => {
    if (!target.dataset.language) return;
    const [place, query = ""] = location.hash.split("?");
    const pairs = query.split("&").filter((pair) => pair && !pair.startsWith("lang="));
    if (target.dataset.language !== languages[0]) pairs.push("lang=" + target.dataset.language);
    if (place) history.replaceState(null, "", pairs.length === 0 ? place : `${place}?${pairs.join("&")}`);
    speak(target.dataset.language);
});
// Without an address, shows the page first, because it needs neither the options nor the sentence.
async function open() {
    const command = { args: ["causal", ...languageArgs(state.language), "--out", "-.html"], files: {} };
    const made = await pageOf("view", command);
    if (!made.page) return;
    present(command, made, null);
    opened = { key: command.args.join(" "), made };
}
// Starts with the document's sentence.
async function start() {
    const asked = /[?&]lang=(\w+)/.exec(location.hash)?.[1];
    showWords(languages.includes(asked) ? asked : state.language);
    if (!location.hash) await open();
    const result = await engine.run("lesson", ["causal", "--step", "inputs", "--json", "-"]);
    if (result.code !== 0) return complain(result.stderr ?? "");
    const trace = JSON.parse(result.stdout);
    given = {
        tokens: trace.tokens.join(" "),
        embeddings: trace.stages[0].steps[0].data.map((row) => row.join(" ")).join("\n")
    };
    byId("tokens").value = given.tokens;
    byId("embeddings").value = given.embeddings;
    return speak(state.language, true);
}
start();
