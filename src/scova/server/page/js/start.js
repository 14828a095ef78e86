// What is said where nothing is found because nothing was asked yet: examples, keys, and that filters want a word beside them.

import { h } from "./dom.js";
import { address } from "./router.js";
import { keysAreOn } from "./keys.js";
import { empty } from "./notices.js";

const TRIES = ["where is the configuration read", "parse config file", "error handling -path:tests", "type:documentation install"];
const NO_WORD = "there is no word to find"; // as the server says it

/** Before the first key: how one may ask. */
export function begun(project) {
  return empty(
    "Ask in words, or for a name",
    h("p", {}, "Results come while you type. Filters may stand in the question too. For example:"),
    examples(project),
    keysAreOn() ? h("p", {}, "Press ", h("kbd", {}, "?"), " for all keys.") : null,
  );
}

/** Whether the server refused a question since there is nothing in it but filters. */
export const lacksWord = (error) => error.message === NO_WORD;

/** There are filters, and nothing to be filtered yet. */
export function wordless() {
  return empty("Add a word to find", h("p", {}, "Filters say where to look. Type beside them what to look for."));
}

function examples(project) {
  return h("ul", { class: "examples" }, TRIES.map((q) => h("li", {}, h("a", { href: address("search", project, "", { q }) }, q))));
}
