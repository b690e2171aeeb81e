// Runs the program outside the main thread, one command line at a time. The main thread first sends the
// compiled module, or its bytes, and then { id, args, files, stdin } for each run. To stop a run, it ends
// this worker.
import { run } from "./wasi.mjs";
import { readable, readableFiles } from "./zip.mjs";

let module;
onmessage = async ({ data }) => {
    if (data.bytes || data.module) {
        try {
            module = data.module ?? await WebAssembly.compile(data.bytes);
            postMessage({ ready: true, module });
        } catch (error) {
            postMessage({ failed: String(error) });
        }
        return;
    }
    const { id, args } = data;
    const [files, stdin] = await Promise.all([readableFiles(data.files), readable(data.stdin)]);
    const result = run(module, args, { files, stdin, onOutput: (stream, text) => postMessage({ id, stream, text }) });
    postMessage({ id, result });
};
