// The outline of a file: what it defines, with a filter; says where one is. Knows definitions, not their text.

import { fill, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { count } from "./format.js";
import { fileAddress, symbolAddress } from "./place.js";

const ABOVE = 12; // lines of decorators and comments that a range may begin with
const MOST = 600; // shown at once; the filter finds the others

export class Outline {
  /** `total` is how many there are, where not all are told. */
  constructor(project, path, { outline: definitions, total_definitions: total }) {
    Object.assign(this, { project, path, definitions, total });
    this.list = h("ul", { class: "outline-list" });
    this.filter = h("input", { type: "search", id: "outline-filter", "aria-label": "Filter the outline", placeholder: "Filter", autocomplete: "off", spellcheck: "false", on: { input: () => this.#draw() } });
    const has = definitions.length > 0;
    this.node = h(
      "details",
      { class: "outline", open: matchMedia("(min-width: 60rem)").matches },
      h("summary", {}, h("h2", {}, `Outline (${count(total)})`)),
      has ? this.filter : h("p", { class: "quiet" }, "This file defines nothing that is known."),
      total > definitions.length ? h("p", { class: "quiet" }, `Only the first ${count(definitions.length)} are known here, down to line ${count(definitions.at(-1).start_line)}.`) : null,
      this.list,
    );
    this.#draw();
  }

  focus() {
    this.node.open = true;
    this.filter.focus();
  }

  /** The innermost definition around a line; of a range, the one that is in it whole, as what a search finds is with its decorators. */
  around(line, last = line) {
    const all = this.definitions.filter((one) => one.start_line <= line && line <= one.end_line);
    const innermost = all.reduce((best, one) => (!best || one.start_line >= best.start_line ? one : best), null);
    const inside = this.definitions.find((one) => line < one.start_line && one.end_line <= last && one.start_line - line <= ABOVE);
    if (!inside || innermost?.start_line === line || innermost?.end_line < inside.end_line) return innermost;
    return inside;
  }

  /** Whether all is known that may be around a line. */
  reaches(line) {
    return this.total === this.definitions.length || line < this.definitions.at(-1).start_line;
  }

  /** Mark what is around a line. */
  mark(line) {
    const here = this.around(line);
    if (here === this.here) return;
    this.here = here;
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const item = here && [...this.list.children].find((one) => one.definition === here);
    item?.querySelector("a")?.setAttribute("aria-current", "location");
    if (item && this.node.scrollHeight > this.node.clientHeight) item.scrollIntoView({ block: "nearest" });
  }

  #draw() {
    const wanted = this.filter.value.trim().toLowerCase();
    const found = this.definitions.filter((one) => (one.qualified || one.name).toLowerCase().includes(wanted));
    fill(this.list, found.slice(0, MOST).map((one) => this.#item(one)), found.length > MOST ? h("li", { class: "quiet" }, `and ${count(found.length - MOST)} more: filter to see them`) : null);
  }

  #item(one) {
    const item = h(
      "li",
      {},
      h("a", { href: fileAddress(this.project, this.path, one.start_line), class: "outline-name" }, h("bdi", {}, inertNodes(one.name)), h("span", { class: "unseen" }, ` line ${one.start_line}`)),
      h("span", { class: "kind" }, inertNodes(one.kind)),
      h("a", { href: symbolAddress(this.project, one.qualified || one.name, this.path), class: "outline-calls", "aria-label": `Callers and callees of ${one.name}` }, "⇄"),
    );
    item.style.setProperty("--depth", String(Math.min(6, one.depth || 0)));
    item.definition = one;
    return item;
  }
}
