// The view of a symbol: callers, source and callees side by side; how deep is adjustable; documentation that mentions it.

import { Latest, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { inert, inertNodes } from "./text.js";
import { count, many } from "./format.js";
import { address, go } from "./router.js";
import { highlighted } from "./highlight.js";
import { block } from "./code.js";
import { tree } from "./tree.js";
import { announce, empty, lacking, problem, waiting } from "./notices.js";
import { onlyFile } from "./files.js";
import { copyPlace, fileAddress, lineRange, pathNodes, symbolAddress } from "./place.js";

const DEEPEST = 6;
const LINES = 400; // of the source that are shown here
const NAMEABLE = /^(?!\s)[^\u0000-\u001F\u007F]+(?<!\s)$/u; // paths that may stand before a name; of others the definition decides
const LEFT_OUT = { per_level: "at a level", total: "in all", roots: "definitions", sites: "calls" };

export class SymbolView {
  constructor(main, route, app) {
    Object.assign(this, { main, app, project: route.project, latest: new Latest() });
    fill(main, waiting());
    this.#open(route);
  }

  takes(route) {
    return route.rest === this.name && (route.params.get("in") || "") === this.path;
  }

  update(route) {
    this.#open(route);
  }

  refresh() {
    this.#ask();
  }

  close() {
    this.latest.drop();
  }

  key(event) {
    if (event.key === "[" || event.key === "]") return this.#deeper(event.key === "]" ? 1 : -1);
    if (event.key === "y" && this.definition) return this.#copied();
    if (event.key === "Escape") return this.app.back();
    return false;
  }

  #copied() {
    copyPlace(this.definition.path, this.definition.start_line);
    return true;
  }

  #open({ rest, params }) {
    this.name = rest;
    this.path = params.get("in") || "";
    this.depth = Math.max(1, Math.min(DEEPEST, Number(params.get("depth")) || 1));
    this.app.title(rest);
    this.#ask();
  }

  #deeper(by) {
    const depth = Math.max(1, Math.min(DEEPEST, this.depth + by));
    if (depth !== this.depth) go(symbolAddress(this.project, this.name, this.path, depth));
    return true;
  }

  async #ask() {
    try {
      const answers = await this.latest.ask((signal) => this.#answers(signal));
      if (answers) this.#draw(...answers);
    } catch (error) {
      fill(this.main, h("h1", { tabindex: "-1" }, inertNodes(this.name)), problem(error, () => this.#ask()));
    }
  }

  /** Definitions, and once it is known which of them is meant, what is around it. */
  async #answers(signal) {
    const defined = await this.#definitions(signal);
    const meant = this.#meant(defined);
    if (!meant) return [defined];
    const named = NAMEABLE.test(meant.path) ? `${meant.path}:${this.name}` : this.name;
    const walk = (direction) => post("callers", { project_id: this.project, name: named, direction, depth: this.depth }, signal);
    const last = this.name.split(/\.|::|#/).at(-1);
    const mentions = { project_id: this.project, name: last, limit: 20, chunk_types: ["documentation"] };
    return [defined, ...(await Promise.all([walk("callers"), walk("callees"), post("usages", mentions, signal)]))];
  }

  /** All definitions of the name, as far as they fit into an answer; those of the file that was asked for always do. */
  async #definitions(signal) {
    const question = { project_id: this.project, name: this.name, body: true };
    const found = await post("definitions", question, signal);
    if (!this.path || !found.truncated) return found;
    const own = await post("definitions", { ...question, ...onlyFile(this.path) }, signal);
    const isOwn = ({ path }) => path === this.path;
    return { ...found, definitions: own.definitions.filter(isOwn).concat(found.definitions.filter((one) => !isOwn(one))) };
  }

  #meant({ definitions }) {
    const own = definitions.filter(({ path }) => !this.path || path === this.path);
    return own.find(({ qualified }) => qualified === this.name) || own[0];
  }

  #draw(defined, callers, callees, mentions) {
    this.definition = this.#meant(defined);
    if (!this.definition) return this.#unknown(defined);
    const hadFocus = this.main.contains(document.activeElement) && document.activeElement.dataset.step;
    fill(
      this.main,
      this.#head(defined),
      lacking(defined, callers, callees, mentions),
      h("div", { class: "trio" }, this.#side("callers", callers), this.#source(callees), this.#side("callees", callees)),
      this.#documentation(mentions),
    );
    if (hadFocus) this.main.querySelector(`[data-step="${hadFocus}"]`)?.focus();
    announce(`${many(callers.total, "caller")} and ${many(callees.total, "callee")} of ${this.name}, ${many(this.depth, "level")}`);
    return undefined;
  }

  #unknown({ definitions, suggestions }) {
    const near = definitions.map(({ qualified, path }) => [symbolAddress(this.project, qualified, path), `${qualified} in ${path}`]).concat(suggestions.map((name) => [symbolAddress(this.project, name), name]));
    const list = near.map(([to, says]) => h("li", {}, h("a", { href: to }, h("bdi", {}, inertNodes(says)))));
    fill(
      this.main,
      h("h1", { tabindex: "-1" }, h("bdi", {}, inertNodes(this.name))),
      empty(
        ["Nothing of this name is defined ", this.path ? ["in ", pathNodes(this.path)] : "here"],
        list.length ? [h("p", {}, "Perhaps one of these:"), h("ul", {}, list)] : null,
        h("p", {}, h("a", { href: address("search", this.project, "", { q: this.name }) }, "Search for it")),
      ),
    );
  }

  #head(defined) {
    const { kind, path, qualified, doc, start_line: first, end_line: last } = this.definition;
    return h(
      "div",
      { class: "symbol-head" },
      h("h1", { tabindex: "-1" }, h("bdi", {}, inertNodes(qualified)), " ", h("span", { class: "kind" }, inertNodes(kind))),
      h("p", { class: "facts" }, h("a", { href: fileAddress(this.project, path, `${first}-${last}`) }, pathNodes(path), `:${lineRange(first, last)}`), " ", button("Copy path:line", () => copyPlace(path, first), { class: "plain" })),
      doc ? h("p", { class: "doc" }, inertNodes(doc.split("\n")[0])) : null,
      defined.total > 1 ? this.#others(defined) : null,
      this.#stepper(),
    );
  }

  #others({ definitions: all, total }) {
    const pick = h("select", { on: { change: () => go(pick.value) } }, all.map((one) => h("option", { value: symbolAddress(this.project, one.qualified, one.path, this.depth), selected: one === this.definition }, `${inert(one.qualified)} in ${inert(one.path)}:${one.start_line}`)));
    return h("label", { class: "field others" }, h("span", {}, `${many(total, "definition")} of this name${total > all.length ? `, ${count(all.length)} of them here` : ""}`), pick);
  }

  #stepper() {
    const step = (label, by, says) => button(label, () => this.#deeper(by), { "aria-label": says, disabled: by < 0 ? this.depth <= 1 : this.depth >= DEEPEST, "data-step": says });
    return h("div", { class: "stepper", role: "group", "aria-label": "Levels of callers and callees" }, step("−", -1, "Fewer levels"), h("output", {}, many(this.depth, "level")), step("+", 1, "More levels"));
  }

  #side(direction, answer) {
    const root = this.#rootOf(answer);
    const nodes = root?.nodes || [];
    const title = direction === "callers" ? "Callers" : "Callees";
    const none = direction === "callers" ? "Nothing in this project is known to call it." : "It is not known to call anything.";
    const guessed = nodes.some(({ certainty }) => certainty === "candidate");
    return h(
      "section",
      { class: `side ${direction}`, "aria-labelledby": `title-${direction}` },
      h("h2", { id: `title-${direction}` }, `${title} (${nodes.length})`),
      nodes.length ? tree(nodes, { project: this.project, direction, depth: this.depth }) : h("p", { class: "quiet" }, none),
      guessed ? h("p", { class: "legend quiet" }, h("span", { class: "dash", "aria-hidden": "true" }), "dashed: a candidate, by its name only") : null,
      leftOut(answer.left_out),
    );
  }

  #rootOf({ roots }) {
    const { path, start_line: line } = this.definition;
    return roots.find(({ definition }) => definition?.path === path && definition.start_line === line) || roots[0];
  }

  #source(callees) {
    const { text = "", language, path, start_line: first } = this.definition;
    const lines = text.replace(/\n$/, "").split("\n");
    const links = this.#callLinks(callees);
    const { rows } = highlighted(lines.slice(0, LINES), language);
    return h(
      "section",
      { class: "source", "aria-labelledby": "title-source" },
      h("h2", { id: "title-source" }, "Source"),
      block(rows, first, { label: "source", linksAt: (line) => links.get(line) }),
      lines.length > LINES ? h("p", {}, h("a", { href: fileAddress(this.project, path, first + LINES) }, `${lines.length - LINES} more lines in the file`)) : null,
    );
  }

  /** By line: the names that are called there, and where they lead. */
  #callLinks(callees) {
    const links = new Map();
    for (const node of this.#rootOf(callees)?.nodes || []) {
      if (!node.definition) continue;
      for (const site of node.sites) {
        const names = links.get(site.line) || new Map();
        names.set(site.name, symbolAddress(this.project, node.definition.qualified, node.definition.path, this.depth));
        links.set(site.line, names);
      }
    }
    return links;
  }

  #documentation({ usages, counts, truncated, name }) {
    const items = usages.map(({ path, line, text, within }) =>
      h("li", {}, h("a", { href: fileAddress(this.project, path, line) }, pathNodes(path), `:${line}`), within ? h("span", { class: "quiet" }, " ", h("bdi", {}, inertNodes(within))) : null, h("p", { class: "mention" }, inertNodes(text.trim()))),
    );
    return h(
      "section",
      { class: "mentions", "aria-labelledby": "title-docs" },
      h("h2", { id: "title-docs" }, "Documentation that mentions it"),
      items.length ? h("ul", { class: "mention-list" }, items) : h("p", { class: "quiet" }, "No documentation in this project names it."),
      truncated ? h("p", {}, h("a", { href: address("search", this.project, "", { q: name, type: "documentation" }) }, `All ${many(Object.values(counts).reduce((sum, one) => sum + one, 0), "mention")}`)) : null,
    );
  }
}

function leftOut(left) {
  const parts = Object.entries(left || {}).map(([cap, number]) => `${number} ${LEFT_OUT[cap] || cap}`);
  return parts.length ? h("p", { class: "quiet" }, `Left out: ${parts.join(", ")}.`) : null;
}
