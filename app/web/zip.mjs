// Inflates the members of ZIP files before the program gets them, with DecompressionStream of browsers and
// Node, because the program for WebAssembly has no zlib.

const localSize = 30;
const entrySize = 46;
const stored = 0;
const deflated = 8;

// Returns the inflated bytes of raw deflate data, or null if their number is not `size`.
async function inflated(data, size) {
    const parts = [];
    let total = 0;
    try {
        for await (const part of new Blob([data])
            .stream()
            .pipeThrough(new DecompressionStream("deflate-raw"))) {
            total += part.length;
            if (total > size) return null;
            parts.push(part);
        }
    } catch {
        return null;
    }
    return total === size ? new Blob(parts) : null;
}

// Returns a ZIP file with uncompressed members. Damaged members and other files stay as they are, because the
// program reports what is wrong with them.
async function withStoredMembers(file) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    let end = file.length - 22;
    while (end > 0 && view.getUint32(end, true) !== 0x06054b50) --end;
    if (end <= 0 || view.getUint32(0, true) !== 0x04034b50) return file;
    const members = [];
    const directory = [];
    let at = 0;
    let entry = view.getUint32(end + 16, true);
    for (let i = 0; i < view.getUint16(end + 10, true); ++i) {
        const nameSize = view.getUint16(entry + 28, true);
        const next =
            entry +
            entrySize +
            nameSize +
            view.getUint16(entry + 30, true) +
            view.getUint16(entry + 32, true);
        const listed = file.slice(entry, next);
        const fields = new DataView(listed.buffer);
        const start = fields.getUint32(42, true);
        const local = file.slice(start, start + localSize + nameSize);
        const from = start + local.length + view.getUint16(start + 28, true);
        const packed = file.subarray(from, from + fields.getUint32(20, true));
        const size = fields.getUint32(24, true);
        const data = fields.getUint16(10, true) === deflated ? await inflated(packed, size) : null;
        const record = new DataView(local.buffer);
        if (data !== null) {
            fields.setUint16(10, stored, true);
            fields.setUint32(20, size, true);
            record.setUint16(8, stored, true);
        }
        record.setUint16(28, 0, true);
        fields.setUint32(42, at, true);
        members.push(local, data ?? packed);
        directory.push(listed);
        at += local.length + (data === null ? packed.length : size);
        entry = next;
    }
    const last = file.slice(end);
    new DataView(last.buffer).setUint32(16, at, true);
    return new Uint8Array(await new Blob([...members, ...directory, last]).arrayBuffer());
}

// Returns the bytes or text to pass to the program for a file or standard input.
export async function readable(data) {
    try {
        return typeof data === "string" ? data : await withStoredMembers(new Uint8Array(data));
    } catch (error) {
        if (error instanceof RangeError) return data; // an offset beyond the end
        throw error;
    }
}

export async function readableFiles(files) {
    const read = ([name, data]) => readable(data).then((bytes) => [name, bytes]);
    return Object.fromEntries(await Promise.all(Object.entries(files).map(read)));
}
