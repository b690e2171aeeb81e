// Starts the article on the page's own data.
import { readAddress } from "./address.mjs";
import { byId } from "./dom.mjs";
import { readPage } from "./trace.mjs";
import { View } from "./view.mjs";

const view = new View(byId("view"));
view.show(readPage(JSON.parse(byId("data").textContent)), null, readAddress(location.hash), true);
addEventListener("popstate", () => view.follow(true));
