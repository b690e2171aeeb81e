// The program compiled for WebAssembly prints and writes the same bytes as the native one, for all command
// lines here. ATTN_PROGRAM is the native program, ATTN_MODULE the WebAssembly module, and ATTN_OUT_OF_MEMORY
// the compiled out_of_memory.cpp.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import zlib from "node:zlib";
import { run } from "../../app/web/wasi.mjs";
import { readableFiles } from "../../app/web/zip.mjs";
import { same } from "../page/same.mjs";

const program = path.resolve(process.env.ATTN_PROGRAM);
const module = new WebAssembly.Module(fs.readFileSync(process.env.ATTN_MODULE));
const native = (...args) => execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });

// Returns an archive with compressed members, as np.savez_compressed writes it; with this level and strategy.
function compressed(archive, level = 6, strategy = zlib.constants.Z_DEFAULT_STRATEGY) {
    const lines = [
        "import io, sys, zipfile, zlib",
        "level, strategy = map(int, sys.argv[1:])",
        "compressor = lambda *_: zlib.compressobj(level, zlib.DEFLATED, -15, strategy=strategy)",
        "zipfile._get_compressor = compressor",
        "read, written = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())), io.BytesIO()",
        "with zipfile.ZipFile(written, 'w', zipfile.ZIP_DEFLATED) as archive:",
        "    for name in read.namelist(): archive.writestr(name, read.read(name))",
        "sys.stdout.buffer.write(written.getvalue())"
    ];
    return execFileSync("python3", ["-c", lines.join("\n"), level, strategy], { input: archive });
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), "attn-web-"));
const lesson = {
    tokens: ["The", "cat", "sat"],
    embeddings: [
        [0.1, 0.9, -0.3],
        [1.5, 0.25, 0.75],
        [-0.5, 0.125, 0.6]
    ]
};
const inHome = (...args) =>
    execFileSync(program, args, { cwd: home, stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
inHome("causal", "--out", "causal.npz");
inHome("trainable", "--out", "trainable.safetensors");
const given = {
    "lesson.json": JSON.stringify(lesson),
    "chinese.json": JSON.stringify({
        tokens: ["你", "<script>", "\u001b[2J"],
        embeddings: lesson.embeddings
    }),
    "broken.json": '{"tokens": ["a"], "embeddings": [[0.1, }',
    "uneven.json": '{"tokens": ["a", "b"], "embeddings": [[1, 2], [3]]}',
    "nan.json": '{"tokens": ["a"], "embeddings": [[1e39]]}',
    "empty.json": "",
    "deep.json": "[".repeat(100000),
    "right.txt": native("causal", "--step", "attn_weights_causal", "--quiet"),
    "wrong_axis.txt": "[[0.1717, 0.1650], [0.2, 0.4]]",
    "no_scale.txt":
        "tensor([[0.1825, 0.1467, 0.1474, 0.1347, 0.1563, 0.1298],\n [0.2, 0.1, 0.1, 0.2, 0.2, 0.2]])",
    "not_numbers.txt": "hello, nothing here",
    "answers.json": '{"1": "0.5", "2": "1", "3": "x"}',
    "causal.npz": fs.readFileSync(path.join(home, "causal.npz")),
    "compressed.npz": compressed(fs.readFileSync(path.join(home, "causal.npz"))),
    "fixed.npz": compressed(fs.readFileSync(path.join(home, "causal.npz")), 6, zlib.constants.Z_FIXED),
    "blocks.npz": compressed(fs.readFileSync(path.join(home, "causal.npz")), 0),
    "trainable.safetensors": fs.readFileSync(path.join(home, "trainable.safetensors"))
};
const damaged = Buffer.from(given["compressed.npz"]);
// From its first byte on, so that nothing can be inflated.
damaged.fill(0xff, 30 + damaged.readUInt16LE(26), 140);
given["damaged.npz"] = damaged;
given["cut.npz"] = given["compressed.npz"].subarray(0, 700);
fs.rmSync(home, { recursive: true });
const readable = await readableFiles(given);

const stages = native("list")
    .split("\n")
    .map((line) => /^ {0,2}([a-z][a-z-]+) /.exec(line)?.[1])
    .filter(Boolean);
const lines = [
    ...stages,
    ...stages.map((stage) => `${stage} --lang zh --quiet`),
    "",
    "--help",
    "--help --lang zh",
    "causal --help",
    "list",
    "list --lang zh",
    "list causal",
    "errata",
    "errata --lang zh",
    "man",
    "completion bash",
    "completion zsh",
    "completion fish",
    "completion nonsense",
    "complete attn-walkthrough causal --st",
    "form",
    "form --lang zh",
    "help diagnose",
    "help causal --lang zh",
    "compare -h",
    "walk --help-all",
    "--version=x",
    "compare diagnose",
    "compare causal",
    "compare",
    "causal --seed 5 compare",
    "compare causal --json -",
    "compare causal --seed 123 --lang zh",
    "causal --backward",
    "causal --backward --json -",
    "training-step --lr 0.1 --json -",
    "multi-head --backward --loss mean --quiet",
    "causal --code numpy",
    "causal --code cpp",
    "causal --heatmap",
    "causal --heatmap --color always",
    "causal --color always --step keys",
    "causal --rows 1:3",
    "causal --precision 8 --quiet",
    "causal --dropout 0.2 --dropout-rng mkl",
    "complexity --tokens 10,100",
    "explain causal attn_weights[1][0]",
    "explain causal context_vec[journey][1] --depth 20",
    "explain 0.5517",
    "explain multi-head context_vec[0][1][2]",
    "explain causal attn_weights[9][9]",
    "explain causal nothing[0]",
    "explain causal attn_weights[1][0] --json - --lang zh",
    "causal --input lesson.json",
    "causal --input chinese.json",
    "causal --input broken.json",
    "causal --input uneven.json",
    "causal --input nan.json",
    "causal --input empty.json",
    "causal --input deep.json",
    "causal --input missing.json",
    "causal --input .",
    "causal --input broken.json --lang zh",
    "causal --input -",
    "causal --input causal.npz",
    "simplified --input compressed.npz",
    "causal --weights compressed.npz",
    "causal --weights damaged.npz",
    "simplified --input fixed.npz",
    "diagnose fixed.npz",
    "diagnose blocks.npz",
    "causal --weights cut.npz",
    "trainable --weights trainable.safetensors",
    "causal --weights lesson.json",
    "causal --weights causal.npz --seed 3",
    "diagnose right.txt",
    "diagnose causal right.txt --json -",
    "diagnose causal wrong_axis.txt",
    "diagnose causal no_scale.txt --lang zh",
    "diagnose not_numbers.txt",
    "diagnose -",
    "diagnose causal right.txt --as attn_weights_causal",
    "diagnose compressed.npz",
    "quiz causal --count 3",
    "quiz causal --count 2 --lang zh --quiz-seed 7",
    "quiz causal --count 0",
    "exercises causal --count 4",
    "exercises 3.2 --lang zh",
    "grade causal --count 3 answers.json",
    "exercises causal --count 3 --key -.md",
    "exercises causal --out a.csv",
    "all --json -",
    "causal --json a.json",
    "causal --json a.json --out b.html --out c.npz --out d.safetensors --out e.ipynb --out f.md --out g.tex",
    "causal --step attn_weights --out a.csv --out a.svg",
    "causal --out -.html --lang zh",
    "causal --json nowhere/a.json",
    "causal --json .",
    "causal --input lesson.json --json ./lesson.json",
    "causal --json a.json --out ./a.json",
    "causal --json - --out -.html",
    "causal --out a.txt",
    "causal --out -.npz",
    "caual",
    "causal --sed 3",
    "causal --seed x",
    "causal --seed -1",
    "causal --seed 99999999999999999999",
    "causal --dropout nan",
    "causal --dropout=",
    "causal --quiet=1",
    "causal --step nonsense",
    "linear --dropout 0.5",
    "scaling --seed 5",
    "causal --d-out 4 --heads 3",
    "multi-head --heads 3",
    "causal --d-out 100000 --seed 1",
    "multi-head --d-out 1000000000",
    "causal --seed 1 --seed 2",
    "causal --stage all",
    "--threads 0",
    "causal --lang fr",
    "explain causal attn_weights[1][0] --step keys",
    "causal \u001b[31m",
    "causal --context-length 3"
];
const standardInput = {
    "quiz causal --count 3": "0.1\n2\nnonsense\n\n",
    "quiz causal --count 2 --lang zh --quiz-seed 7": "0\n",
    "causal --input -": given["lesson.json"],
    "diagnose -": given["right.txt"]
};

test(`${lines.length} command lines`, () => {
    assert.ok(lines.length >= 130 && stages.length >= 21);
    const codes = new Set();
    let written = 0;
    for (const line of lines) {
        const args = line.split(" ").filter((word) => word !== "");
        const stdin = standardInput[line] ?? "";
        const folder = fs.mkdtempSync(path.join(os.tmpdir(), "attn-web-"));
        for (const [name, data] of Object.entries(given)) {
            fs.writeFileSync(path.join(folder, name), data);
        }
        const expected = spawnSync(program, args, { cwd: folder, env: {}, input: stdin, maxBuffer: 1 << 28 });
        const result = run(module, args, { files: readable, stdin });
        same(result.stderr, expected.stderr, line);
        assert.equal(result.code, expected.status, line);
        same(result.bytes, expected.stdout, line);
        const left = fs.readdirSync(folder).sort();
        assert.deepEqual(Object.keys(result.files).sort(), left, line);
        for (const name of left.filter((one) => !(one in given))) {
            same(result.files[name], fs.readFileSync(path.join(folder, name)), `${line}: ${name}`);
            ++written;
        }
        codes.add(result.code);
        fs.rmSync(folder, { recursive: true });
    }
    assert.deepEqual([...codes].sort(), [0, 1, 2]);
    assert.ok(written >= 10);
});

test("an exception is thrown and caught where no memory is left", () => {
    const { code, stderr } = run(new WebAssembly.Module(fs.readFileSync(process.env.ATTN_OUT_OF_MEMORY)), []);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

test("a breakdown is said, and the next run is as if it had not been", () => {
    // (module (memory (export "memory") 1) (func (export "_start") unreachable))
    const traps = new WebAssembly.Module(
        Buffer.from("AGFzbQEAAAABBAFgAAADAgEABQMBAAEHEwIGbWVtb3J5AgAGX3N0YXJ0AAAKBQEDAAAL", "base64")
    );
    const broken = run(traps, []);
    assert.equal(broken.code, 2);
    assert.match(
        broken.stderr,
        /^attn-walkthrough: internal error: the program broke down \(RuntimeError: unreachable\)\.\n$/
    );
    same(run(module, ["causal"]).stdout, native("causal"));
});

test("a failing comparison shows ten lines", () => {
    const [ours, theirs] = [9000, 8000].map((count) => "a\n".repeat(count));
    assert.throws(
        () => same(ours, Buffer.from(theirs), "causal"),
        ({ message }) =>
            message.startsWith("causal: 9001 lines instead of 8001; line 8001 differs\n- ") &&
            message.split("\n").length <= 10
    );
});
