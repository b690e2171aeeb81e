// Starts the view on the page's own document.
import { byId } from "./dom.mjs";
import { readPage } from "./trace.mjs";
import { View } from "./view.mjs";

const view = new View(byId("view"), byId("steps"));
view.show(readPage(document));
addEventListener("popstate", () => view.follow(location.hash));
