// Runs the program outside the main thread, one command line at a time. The main thread first sends the
// compiled module, and then { id, args, input } for each run. To stop a run, it ends this worker.
import { run } from "./wasi.mjs";
import { readableFiles } from "./zip.mjs";

let module;
onmessage = async ({ data }) => {
    if (data.module) {
        module = data.module;
        return;
    }
    const { id, args, input } = data;
    const files = await readableFiles(input.files ?? {});
    postMessage({ id, result: run(module, args, { ...input, files, env: ["ATTN_MESSAGES=plain"] }) });
};
