// Runs command lines in a worker, one after the other, and can stop them.

// Each character holds seven bits, the high ones of a byte first.
function decodedBytes(text) {
    const bytes = new Uint8Array(Math.floor((text.length * 7) / 8));
    for (let i = 0; i < bytes.length; ++i) {
        const at = Math.floor((i * 8) / 7);
        const used = (i * 8) % 7; // bits of the first character, by the byte before
        const bits = ((text.charCodeAt(at) & 127) << 7) | (text.charCodeAt(at + 1) & 127);
        bytes[i] = bits >> (6 - used);
    }
    return bytes;
}
// Returns the stream of a gzipped text in such characters. It is decoded in pieces, while the browser works
// on the pieces before.
export function inflated(packed) {
    const size = 8 << 15; // whole groups of seven bytes
    let at = 0;
    const pull = (to) =>
        at < packed.length ? to.enqueue(decodedBytes(packed.slice(at, (at += size)))) : to.close();
    return new ReadableStream({ pull }).pipeThrough(new DecompressionStream("gzip"));
}

export class Engine {
    // workerSource: the text of a script; packed: the module, as inflated() takes it; changed: a function
    // called when the engine becomes busy or idle.
    constructor(workerSource, packed, changed) {
        this.url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
        this.changed = changed;
        this.queue = [];
        this.next = 1;
        this.start();
        const wasm = new Response(inflated(packed), { headers: { "Content-Type": "application/wasm" } });
        WebAssembly.compileStreaming(wasm).then(
            (module) => {
                this.module = module;
                this.worker.postMessage({ module });
                this.work();
            },
            (error) => this.fail(String(error))
        );
    }
    start() {
        this.running = null;
        this.worker = new Worker(this.url);
        this.worker.onmessage = ({ data }) => this.hear(data);
        this.worker.onerror = (event) => {
            event.preventDefault?.();
            this.fail(event.message || "worker error");
        };
        if (this.module) this.worker.postMessage({ module: this.module });
    }
    hear({ id, result }) {
        if (this.running?.id !== id) return;
        const { resolve } = this.running;
        this.running = null;
        resolve(result);
        this.work();
    }
    // The worker failed: the request that runs gets an error message, and a new worker takes over the others.
    // If there is no module to run, all requests get the message.
    fail(message) {
        const result = {
            code: 2,
            stdout: "",
            stderr: message,
            files: {},
            broken: message
        };
        const waiting = this.running ? [this.running] : this.module ? [] : this.queue.splice(0);
        if (this.module) this.restart();
        else this.dead = result;
        for (const { resolve } of waiting) resolve(result);
        this.work();
    }
    restart() {
        this.worker.terminate();
        this.start();
    }
    // Returns the result of a run, { code, stdout, stderr, bytes, files }, or { stopped: true }. A request
    // stops earlier requests for the same slot, whether they wait or run. The input is that of run() in
    // wasi.mjs.
    run(slot, args, input = {}) {
        if (this.dead) return Promise.resolve(this.dead);
        this.stop(slot);
        return new Promise((resolve) => {
            this.queue.push({ id: this.next++, slot, args, input, resolve });
            this.work();
        });
    }
    work() {
        if (this.module && !this.running && this.queue.length) {
            this.running = this.queue.shift();
            this.began = performance.now();
            const { id, args, input } = this.running;
            this.worker.postMessage({ id, args, input });
        }
        this.changed();
    }
    // Stops what runs and waits in this slot, or everything.
    stop(slot) {
        const isStopped = (one) => slot === undefined || one.slot === slot;
        const stopped = this.queue.filter(isStopped);
        this.queue = this.queue.filter((one) => !isStopped(one));
        if (this.running && isStopped(this.running)) {
            stopped.push(this.running);
            this.restart();
        }
        for (const { resolve } of stopped) resolve({ stopped: true });
        this.work();
    }
    get busy() {
        return Boolean(this.running) || this.queue.length > 0;
    }
}
