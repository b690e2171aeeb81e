// Runs the compiled program in Node: node run.mjs MODULE ARGUMENT… The files that the arguments name are
// passed to it.
import fs from "node:fs";
import { run } from "./wasi.mjs";
import { readable, readableFiles } from "./zip.mjs";

const [name, ...args] = process.argv.slice(2);
const isFile = (path) => fs.statSync(path, { throwIfNoEntry: false })?.isFile();
const given = Object.fromEntries(args.filter(isFile).map((path) => [path, fs.readFileSync(path)]));
const module = new WebAssembly.Module(fs.readFileSync(name));
const stdin = process.stdin.isTTY ? "" : fs.readFileSync(0);
const result = run(module, args, { files: await readableFiles(given), stdin: await readable(stdin) });
fs.writeSync(2, result.stderr);
for (const [path, bytes] of Object.entries(result.files)) {
    if (!(path in given)) {
        fs.writeFileSync(path, bytes);
    }
}
process.exitCode = result.code;
process.stdout.write(result.bytes);
