// The address of what is shown: #stage/step/1,0?off=mask&seed=7. It determines everything on the page.

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return "";
    }
}
// Returns { stage, step, index, query }. The query is a list of [name, value]; names may repeat.
export function readAddress(hash) {
    const [place, query = ""] = hash.slice(1).split("?");
    const [stage = "", step = "", index] = place.split("/").map(decoded);
    return {
        stage,
        step,
        index: index ? index.split(",").map(Number) : index === "" ? [] : null,
        query: [...new URLSearchParams(query)]
    };
}
export function writeAddress({ stage, step, index, query }) {
    const place = [stage, step || index ? step : null, index ? index.join(",") : null];
    const pairs = query.filter(([, value]) => value !== "").map(([n, v]) => `${n}=${encodeURIComponent(v)}`);
    return `#${place.filter((one) => one !== null).join("/")}${pairs.length ? "?" + pairs.join("&") : ""}`;
}
export const valueIn = (query, name) => query.findLast(([one]) => one === name)?.[1] ?? "";
// Returns the query with another value; an empty value removes the name.
export const withValue = (query, name, value) => [
    ...query.filter(([one]) => one !== name),
    ...(value === "" ? [] : [[name, value]])
];
