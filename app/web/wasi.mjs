// The operating system for the program in a browser: the part of WASI preview 1 that it uses, with files in
// memory. Each run is a new instance of the compiled module, so no run can affect the next one.

const errno = {bad: 8, exists: 20, invalid: 28, folder: 31, missing: 44, unsupported: 52, notFolder: 54, pipe: 70};
const kinds = {pipe: 0, folder: 3, file: 4};
const open = {create: 1, folder: 2, exclusive: 4, truncate: 8};
const appends = 1;
const mayWrite = 1n << 6n;
const root = 3;
const firstFile = 4;

class Exit {
    constructor(code) {
        this.code = code;
    }
}

// Normalises a path: "a/b" for "/a/./c/../b".
function plain(path) {
    const parts = [];
    for (const part of path.split("/")) {
        if (part === "..") {
            parts.pop();
        } else if (part !== "" && part !== ".") {
            parts.push(part);
        }
    }
    return parts.join("/");
}

// Bytes that can grow: `data` may be longer than `size`.
class File {
    constructor(data) {
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

// Standard output or standard error: keeps all text, and passes it on as it comes.
class Output {
    constructor(tell) {
        this.file = new File(new Uint8Array(0));
        this.decoder = new TextDecoder();
        this.tell = tell;
    }
    write(bytes) {
        this.file.write(this.file.size, bytes);
        this.tell(this.decoder.decode(bytes, {stream: true}));
    }
}

function isFolder(files, path) {
    if (path === "") {
        return true;
    }
    for (const name of files.keys()) {
        if (name.startsWith(path + "/")) {
            return true;
        }
    }
    return false;
}

// Returns the functions that the module imports. They work on `process`: its files, arguments, environment
// and streams.
function systemCalls(process) {
    const {files, outputs, input} = process;
    const opened = new Map();
    const decoder = new TextDecoder();
    const view = () => new DataView(process.memory.buffer);
    const bytes = (at, size) => new Uint8Array(process.memory.buffer, at, size);
    const pathAt = (at, size) => plain(decoder.decode(bytes(at, size)));
    const kind = (descriptor) => descriptor < root ? kinds.pipe
        : descriptor === root || opened.get(descriptor).folder ? kinds.folder : kinds.file;
    const known = (descriptor) => descriptor <= root || opened.has(descriptor);
    const numbers = new Map(); // file numbers, by which the program knows whether two paths are the same file
    const numberOf = (path) => numbers.get(path) ?? numbers.set(path, BigInt(numbers.size + 1)).get(path);

    // Calls `use` with each piece of memory in a list, until a piece is not used up.
    function each(list, count, use) {
        let total = 0;
        for (let i = 0; i < count; ++i) {
            const at = view().getUint32(list + 8 * i, true);
            const size = view().getUint32(list + 8 * i + 4, true);
            const used = use(bytes(at, size));
            total += used;
            if (used < size) {
                break;
            }
        }
        return total;
    }
    function read(from, to) {
        const taken = from.file.bytes().subarray(from.at, from.at + to.length);
        to.set(taken);
        from.at += taken.length;
        return taken.length;
    }
    function putStrings(strings, pointers, at) {
        for (const [i, text] of strings.entries()) {
            view().setUint32(pointers + 4 * i, at, true);
            bytes(at, text.length).set(text);
            at += text.length;
        }
        return 0;
    }
    function putSizes(strings, count, size) {
        view().setUint32(count, strings.length, true);
        view().setUint32(size, strings.reduce((sum, text) => sum + text.length, 0), true);
        return 0;
    }
    const terminated = (text) => new TextEncoder().encode(text + "\0");
    const args = process.args.map(terminated);
    const environment = Object.entries(process.environment).map(([name, value]) => terminated(`${name}=${value}`));

    return {
        args_sizes_get: (count, size) => putSizes(args, count, size),
        args_get: (pointers, at) => putStrings(args, pointers, at),
        environ_sizes_get: (count, size) => putSizes(environment, count, size),
        environ_get: (pointers, at) => putStrings(environment, pointers, at),
        clock_time_get(clock, precision, at) {
            const now = clock === 0 ? Date.now() : performance.now();
            view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
            return 0;
        },
        random_get(at, size) {
            crypto.getRandomValues(bytes(at, size));
            return 0;
        },
        proc_exit(code) {
            throw new Exit(code);
        },
        fd_write(descriptor, list, count, written) {
            const to = descriptor === 1 || descriptor === 2 ? outputs[descriptor - 1] : opened.get(descriptor);
            if (to === undefined) {
                return errno.bad;
            }
            const total = each(list, count, (piece) => {
                if (to instanceof Output) {
                    to.write(piece);
                } else {
                    to.at = to.appends ? to.file.size : to.at;
                    to.file.write(to.at, piece);
                    to.at += piece.length;
                }
                return piece.length;
            });
            view().setUint32(written, total, true);
            return 0;
        },
        fd_read(descriptor, list, count, taken) {
            const from = descriptor === 0 ? input : opened.get(descriptor);
            if (from === undefined) {
                return errno.bad;
            }
            if (from.folder) {
                return errno.folder;
            }
            view().setUint32(taken, each(list, count, (piece) => read(from, piece)), true);
            return 0;
        },
        fd_seek(descriptor, offset, whence, result) {
            const of = opened.get(descriptor);
            if (of === undefined || of.folder) {
                return errno.pipe;
            }
            const at = Number(offset) + [0, of.at, of.file.size][whence];
            if (at < 0) {
                return errno.invalid;
            }
            of.at = at;
            view().setBigUint64(result, BigInt(at), true);
            return 0;
        },
        fd_close(descriptor) {
            if (!known(descriptor)) {
                return errno.bad;
            }
            opened.delete(descriptor);
            return 0;
        },
        fd_fdstat_get(descriptor, at) {
            if (!known(descriptor)) {
                return errno.bad;
            }
            bytes(at, 24).fill(0);
            view().setUint8(at, kind(descriptor));
            view().setBigUint64(at + 8, ~0n, true);
            view().setBigUint64(at + 16, ~0n, true);
            return 0;
        },
        fd_fdstat_set_flags: () => 0,
        fd_prestat_get(descriptor, at) {
            if (descriptor !== root) {
                return errno.bad;
            }
            view().setUint32(at, 0, true);
            view().setUint32(at + 4, 1, true);
            return 0;
        },
        fd_prestat_dir_name(descriptor, at) {
            bytes(at, 1).set([0x2f]);
            return 0;
        },
        path_filestat_get(descriptor, flags, name, length, at) {
            const path = pathAt(name, length);
            const file = files.get(path);
            if (file === undefined && !isFolder(files, path)) {
                return errno.missing;
            }
            bytes(at, 64).fill(0);
            view().setBigUint64(at + 8, numberOf(path), true);
            view().setUint8(at + 16, file === undefined ? kinds.folder : kinds.file);
            view().setBigUint64(at + 24, 1n, true);
            view().setBigUint64(at + 32, BigInt(file?.size ?? 0), true);
            return 0;
        },
        path_open(descriptor, follow, name, length, how, rights, inherited, flags, result) {
            const path = pathAt(name, length);
            let file = files.get(path);
            const folder = file === undefined && isFolder(files, path);
            if (folder && (rights & mayWrite) !== 0n) {
                return errno.folder;
            }
            if (file !== undefined && (how & open.folder) !== 0) {
                return errno.notFolder;
            }
            if (file !== undefined && (how & open.exclusive) !== 0) {
                return errno.exists;
            }
            if (file === undefined && !folder) {
                const slash = path.lastIndexOf("/");
                if ((how & open.create) === 0 || !isFolder(files, path.slice(0, Math.max(slash, 0)))) {
                    return errno.missing;
                }
                file = new File(new Uint8Array(0));
                files.set(path, file);
            }
            if ((how & open.truncate) !== 0) {
                file.data = new Uint8Array(0);
                file.size = 0;
            }
            let number = firstFile;
            while (opened.has(number)) {
                ++number;
            }
            opened.set(number, {file, folder, at: 0, appends: (flags & appends) !== 0});
            view().setUint32(result, number, true);
            return 0;
        },
        path_unlink_file: (descriptor, name, length) => files.delete(pathAt(name, length)) ? 0 : errno.missing,
        path_rename(descriptor, name, length, toDescriptor, toName, toLength) {
            const file = files.get(pathAt(name, length));
            if (file === undefined) {
                return errno.missing;
            }
            files.delete(pathAt(name, length));
            files.set(pathAt(toName, toLength), file);
            return 0;
        },
        path_remove_directory: () => errno.unsupported,
    };
}

const asBytes = (data) => typeof data === "string" ? new TextEncoder().encode(data) : data;

// Runs the program as a shell does. `args` are the words after its name; `files` are the existing files by
// name, as text or bytes; onOutput(stream, text) is called with new output of "stdout" and "stderr". Returns
// the exit code, both streams as text, standard output also as bytes, and the bytes of the files at the end
// by name. If the program crashes, the exit code is 2, and `broken` has the machine's message.
export function run(module, args, {files = {}, stdin = "", environment = {}, onOutput = () => {}} = {}) {
    const process = {
        args: ["attn-walkthrough", ...args],
        environment,
        files: new Map(Object.entries(files).map(([name, data]) => [plain(name), new File(asBytes(data).slice())])),
        input: {file: new File(asBytes(stdin)), at: 0},
        outputs: ["stdout", "stderr"].map((stream) => new Output((text) => onOutput(stream, text))),
    };
    let code = 0;
    let broken;
    try {
        const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: systemCalls(process)});
        process.memory = instance.exports.memory;
        instance.exports._start();
    } catch (error) {
        if (error instanceof Exit) {
            code = error.code;
        } else {
            code = 2;
            broken = String(error);
            const text = `attn-walkthrough: internal error: the program broke down (${broken}).\n`;
            process.outputs[1].write(new TextEncoder().encode(text));
        }
    }
    const [stdout, stderr] = process.outputs.map((output) => new TextDecoder().decode(output.file.bytes()));
    const left = Object.fromEntries([...process.files].map(([name, file]) => [name, file.bytes()]));
    return {code, stdout, stderr, bytes: process.outputs[0].file.bytes(), files: left, broken};
}
