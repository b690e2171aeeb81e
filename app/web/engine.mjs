// Runs command lines in a worker, one after the other, and can stop them.

const unpacked = async (base64) => {
    const text = atob(base64);
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
};

export class Engine {
    // workerSource: the text of a script; packed: the module, gzipped, in base64; changed: a function called
    // when the engine becomes busy or idle.
    constructor(workerSource, packed, changed) {
        this.url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
        this.changed = changed;
        this.queue = [];
        this.next = 1;
        this.start(unpacked(packed).then((bytes) => ({ bytes })));
    }
    start(module) {
        this.running = null;
        this.ready = false;
        const worker = new Worker(this.url);
        this.worker = worker;
        worker.onmessage = ({ data }) => this.hear(data);
        worker.onerror = (event) => { event.preventDefault?.(); this.fail(event.message || "worker error"); };
        module.then((message) => { if (this.worker === worker) worker.postMessage(message); }, (error) => this.fail(String(error)));
    }
    hear({ ready, module, failed, id, result }) {
        if (failed) this.fail(failed);
        else if (ready) {
            this.module = module;
            this.ready = true;
            this.work();
        } else if (this.running?.id === id) {
            const { resolve } = this.running;
            this.running = null;
            resolve(result);
            this.work();
        }
    }
    // The worker failed: the request that runs gets an error message, and a new worker takes over the others.
    // If there is no module to run, all requests get the message.
    fail(message) {
        const result = { code: 2, stdout: "", stderr: `attn-walkthrough: ${message}`, files: {}, broken: message };
        const waiting = this.running ? [this.running] : this.module ? [] : this.queue.splice(0);
        this.running = null;
        if (this.module) this.restart();
        else this.dead = result;
        for (const { resolve } of waiting) resolve(result);
        this.changed();
    }
    restart() {
        this.worker.terminate();
        this.start(Promise.resolve({ module: this.module }));
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
    drop(which) {
        const dropped = this.queue.filter(which);
        this.queue = this.queue.filter((one) => !which(one));
        for (const { resolve } of dropped) resolve({ stopped: true });
    }
    work() {
        if (this.ready && !this.running && this.queue.length) {
            this.running = this.queue.shift();
            this.began = performance.now();
            const { id, args, input } = this.running;
            this.worker.postMessage({ id, args, input });
        }
        this.changed();
    }
    // Stops what runs in this slot, or everything that runs and waits.
    stop(slot) {
        this.drop((one) => slot === undefined || one.slot === slot);
        if (!this.running || (slot !== undefined && this.running.slot !== slot)) return;
        const { resolve } = this.running;
        this.running = null;
        if (this.module) this.restart();
        resolve({ stopped: true });
        this.changed();
    }
    get busy() { return Boolean(this.running) || this.queue.length > 0; }
}
