// The operating system for the program in a browser: the part of WASI preview 1 that it uses, with files in
// memory. Each run is a new instance of the compiled module, so no run can affect the next one.

const errno = {
    bad: 8,
    exists: 20,
    invalid: 28,
    folder: 31,
    missing: 44,
    unsupported: 52,
    notFolder: 54,
    pipe: 70
};
const kinds = { pipe: 0, folder: 3, file: 4 };
const open = { create: 1, folder: 2, exclusive: 4, truncate: 8 };
const appends = 1;
const mayWrite = 1n << 6n;
const root = 3;

class Exit {
    constructor(code) {
        this.code = code;
    }
}

// Normalises a path: "a/b" for "/a/./c/../b".
function plain(path) {
    const parts = [];
    for (const part of path.split("/")) {
        if (part === "..") parts.pop();
        else if (part !== "" && part !== ".") parts.push(part);
    }
    return parts.join("/");
}

// Bytes that can grow: `data` may be longer than `size`.
class File {
    constructor(data = new Uint8Array(0)) {
        this.data = data;
        this.size = data.length;
    }
    write(at, bytes) {
        const end = at + bytes.length;
        if (end > this.data.length) {
            const grown = new Uint8Array(Math.max(end, 2 * this.data.length));
            grown.set(this.data.subarray(0, this.size));
            this.data = grown;
        }
        this.data.set(bytes, at);
        this.size = Math.max(this.size, end);
    }
    bytes() {
        return this.data.subarray(0, this.size);
    }
}

// Returns the functions that the module imports. They work on `process`: its files, arguments, streams and
// memory.
function systemCalls(process) {
    const { files, streams } = process;
    const opened = new Map([...streams.entries(), [root, { kind: kinds.folder }]]);
    const decoder = new TextDecoder();
    const view = () => new DataView(process.memory.buffer);
    const bytes = (at, size) => new Uint8Array(process.memory.buffer, at, size);
    const pathAt = (at, size) => plain(decoder.decode(bytes(at, size)));
    const isFolder = (path) => path === "" || [...files.keys()].some((name) => name.startsWith(path + "/"));
    const [args_sizes_get, args_get] = listed(process.args);
    const [environ_sizes_get, environ_get] = listed(process.env);

    // Calls `use` with each piece of memory in a list, until a piece is not used up. Stores the number of
    // bytes used.
    function each(list, count, result, use) {
        let total = 0;
        for (let i = 0; i < count; ++i) {
            const size = view().getUint32(list + 8 * i + 4, true);
            const used = use(bytes(view().getUint32(list + 8 * i, true), size));
            total += used;
            if (used < size) break;
        }
        view().setUint32(result, total, true);
        return 0;
    }
    function put(count, size, ...values) {
        view().setUint32(count, values[0], true);
        view().setUint32(size, values[1], true);
        return 0;
    }
    // Returns the two functions that pass a list of texts: its sizes, and the texts.
    function listed(texts) {
        const all = texts.map((text) => new TextEncoder().encode(text + "\0"));
        const total = all.reduce((sum, text) => sum + text.length, 0);
        const get = (pointers, at) => {
            for (const [i, text] of all.entries()) {
                view().setUint32(pointers + 4 * i, at, true);
                bytes(at, text.length).set(text);
                at += text.length;
            }
            return 0;
        };
        return [(count, size) => put(count, size, all.length, total), get];
    }

    return {
        args_sizes_get,
        args_get,
        environ_sizes_get,
        environ_get,
        random_get(at, size) {
            crypto.getRandomValues(bytes(at, size));
            return 0;
        },
        proc_exit(code) {
            throw new Exit(code);
        },
        fd_write(descriptor, list, count, written) {
            const to = opened.get(descriptor);
            if (!to?.file) return errno.bad;
            return each(list, count, written, (piece) => {
                if (to.appends) to.at = to.file.size;
                to.file.write(to.at, piece);
                to.at += piece.length;
                return piece.length;
            });
        },
        fd_read(descriptor, list, count, taken) {
            const from = opened.get(descriptor);
            if (!from?.file) return from ? errno.folder : errno.bad;
            return each(list, count, taken, (piece) => {
                const read = from.file.bytes().subarray(from.at, from.at + piece.length);
                piece.set(read);
                from.at += read.length;
                return read.length;
            });
        },
        fd_seek(descriptor, offset, whence, result) {
            const of = opened.get(descriptor);
            if (of?.kind !== kinds.file) return errno.pipe;
            const at = Number(offset) + [0, of.at, of.file.size][whence];
            if (at < 0) return errno.invalid;
            of.at = at;
            view().setBigUint64(result, BigInt(at), true);
            return 0;
        },
        fd_close: (descriptor) => (opened.delete(descriptor) ? 0 : errno.bad),
        fd_fdstat_get(descriptor, at) {
            const of = opened.get(descriptor);
            if (!of) return errno.bad;
            bytes(at, 24).fill(0);
            view().setUint8(at, of.kind);
            view().setBigUint64(at + 8, ~0n, true);
            view().setBigUint64(at + 16, ~0n, true);
            return 0;
        },
        fd_fdstat_set_flags: () => 0,
        fd_prestat_get: (descriptor, at) => (descriptor === root ? put(at, at + 4, 0, 1) : errno.bad),
        fd_prestat_dir_name(descriptor, at) {
            bytes(at, 1).set([0x2f]);
            return 0;
        },
        path_filestat_get(descriptor, flags, name, length, at) {
            const path = pathAt(name, length);
            const file = files.get(path);
            if (!file && !isFolder(path)) return errno.missing;
            bytes(at, 64).fill(0);
            view().setUint8(at + 16, file ? kinds.file : kinds.folder);
            view().setBigUint64(at + 24, 1n, true);
            view().setBigUint64(at + 32, BigInt(file?.size ?? 0), true);
            return 0;
        },
        path_open(descriptor, follow, name, length, how, rights, inherited, flags, result) {
            const path = pathAt(name, length);
            let file = files.get(path);
            const folder = !file && isFolder(path);
            if (folder && (rights & mayWrite) !== 0n) return errno.folder;
            if (file && (how & open.folder) !== 0) return errno.notFolder;
            if (file && (how & open.exclusive) !== 0) return errno.exists;
            if (!file && !folder) {
                if ((how & open.create) === 0 || !isFolder(path.slice(0, Math.max(path.lastIndexOf("/"), 0))))
                    return errno.missing;
                file = new File();
                files.set(path, file);
            }
            if (file && (how & open.truncate) !== 0) Object.assign(file, new File());
            let number = root + 1;
            while (opened.has(number)) ++number;
            opened.set(number, {
                file,
                kind: folder ? kinds.folder : kinds.file,
                at: 0,
                appends: (flags & appends) !== 0
            });
            view().setUint32(result, number, true);
            return 0;
        },
        path_unlink_file: (descriptor, name, length) =>
            files.delete(pathAt(name, length)) ? 0 : errno.missing,
        path_rename(descriptor, name, length, toDescriptor, toName, toLength) {
            const file = files.get(pathAt(name, length));
            if (!file) return errno.missing;
            files.delete(pathAt(name, length));
            files.set(pathAt(toName, toLength), file);
            return 0;
        },
        path_remove_directory: () => errno.unsupported
    };
}

const asBytes = (data) => (typeof data === "string" ? new TextEncoder().encode(data) : data);

// Runs the program as a shell does. `args` are the words after its name; `files` are the existing files by
// name, as text or bytes; `env` are variables, NAME=VALUE. Returns the exit code, both streams as text,
// standard output also as bytes, and the bytes of the files at the end by name. If the program crashes, the
// exit code is 2, and `broken` has the machine's message.
export function run(module, args, { files = {}, stdin = "", env = [] } = {}) {
    const process = {
        args: ["attn-walkthrough", ...args],
        env,
        files: new Map(
            Object.entries(files).map(([name, data]) => [plain(name), new File(asBytes(data).slice())])
        ),
        streams: [
            { file: new File(asBytes(stdin)), kind: kinds.pipe, at: 0 },
            { file: new File(), kind: kinds.pipe, at: 0, appends: true },
            { file: new File(), kind: kinds.pipe, at: 0, appends: true }
        ]
    };
    const [, stdout, stderr] = process.streams.map(({ file }) => file);
    const text = (file) => new TextDecoder().decode(file.bytes());
    let code = 0;
    let broken;
    try {
        const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: systemCalls(process) });
        process.memory = instance.exports.memory;
        instance.exports._start();
    } catch (error) {
        code = error instanceof Exit ? error.code : 2;
        if (!(error instanceof Exit)) {
            broken = String(error);
            stderr.write(
                stderr.size,
                asBytes(`internal error: the program broke down (${broken}).\n`)
            );
        }
    }
    const left = Object.fromEntries([...process.files].map(([name, file]) => [name, file.bytes()]));
    return { code, stdout: text(stdout), stderr: text(stderr), bytes: stdout.bytes(), files: left, broken };
}
