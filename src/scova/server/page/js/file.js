// The view of one file: its lines, outline, a line or range that the address names, and finding in it.

import { Latest, post } from "./api.js";
import { connection } from "./connection.js";
import { button, fill, h } from "./dom.js";
import { inert, inertNodes } from "./text.js";
import { bytes, count, many } from "./format.js";
import { address, go, settle } from "./router.js";
import { lineNodes } from "./code.js";
import { Rows } from "./rows.js";
import { Pages } from "./pages.js";
import { Outline } from "./outline.js";
import { announce, problem, tell, waiting } from "./notices.js";
import { copyPlace, fileAddress, originNode, symbolAddress } from "./place.js";
import { crumbs, onlyFile } from "./files.js";

const EVERY = 4000; // between two looks whether the file has changed
const HEIGHT = 20; // of a row in pixels, as css/code.css has it

export class FileView {
  constructor(main, route, app) {
    Object.assign(this, { main, app, project: route.project, path: route.rest, finder: new Latest(), found: [] });
    fill(main, waiting());
    this.look = () => this.#look();
    addEventListener("focus", this.look);
    this.timer = setInterval(this.look, EVERY);
    this.#open(route);
  }

  takes(route) {
    return route.rest === this.path;
  }

  update({ params }) {
    this.#choose(params.get("line"));
    if (this.chosen) this.#reach(this.chosen[0]);
  }

  /** The same again as it is now, where one is, with what is being looked for in it. */
  async refresh() {
    const at = (this.rows?.first || 0) + 1;
    const { value = "" } = this.search || {};
    const typing = this.search && document.activeElement === this.search;
    this.#drop();
    await this.#open({ params: new URLSearchParams({ line: this.chosen ? this.chosen.join("-") : "" }) }, at);
    if (!this.rows || !value) return;
    this.search.value = value;
    if (typing) this.search.focus({ preventScroll: true });
    await this.#find();
  }

  close() {
    this.#drop();
    clearInterval(this.timer);
    removeEventListener("focus", this.look);
  }

  #drop() {
    this.pages?.close();
    this.rows?.close();
    this.finder.drop();
  }

  /** Whether the file is still what is shown: it may be edited beside the page. */
  async #look() {
    const { pages } = this;
    if (document.hidden || connection.away || !this.rows) return;
    if ((await pages.isOld()) && pages === this.pages) await this.refresh();
  }

  key(event) {
    if (event.key === "f") return this.#act(() => this.search.focus());
    if (event.key === "o") return this.#act(() => this.outline.focus());
    if (event.key === "y") return this.#act(() => copyPlace(this.path, this.#line()));
    if (event.key === "c") return this.#act(() => this.#calls());
    if (event.key === "Escape") return this.#act(() => this.app.back());
    return false;
  }

  #act(act) {
    if (this.rows) act();
    return true;
  }

  async #open({ params }, at = 0) {
    this.#choose(params.get("line"));
    const arrived = (from, to) => this.#arrived(from, to);
    this.pages = new Pages(this.project, this.path, { arrived, old: () => this.refresh(), failed: (error) => fill(this.said, problem(error)) });
    this.rows = null;
    try {
      const file = await this.pages.open(at || this.chosen?.[0] || 1);
      this.#draw(file);
      if (at) this.rows.top(at - 1);
    } catch (error) {
      fill(this.main, h("h1", { tabindex: "-1" }, crumbs(this.project, this.path)), problem(error, error.status === 404 ? null : () => this.refresh()));
    }
  }

  #draw(file) {
    this.outline = new Outline(this.project, this.path, file);
    this.links = this.#links(file.outline);
    this.rows = new Rows({ build: (index) => this.#row(index), seen: (first, last) => this.#seen(first, last), height: HEIGHT, label: `Lines of ${inert(this.path)}` });
    this.rows.node.addEventListener("click", (event) => this.#clicked(event));
    this.said = h("div", { class: "state" });
    this.here = h("p", { class: "here" });
    fill(this.main, h("div", { class: "file-head" }, h("div", { class: "file-words" }, this.#title(file)), this.#tools()), this.said, h("div", { class: "file" }, this.outline.node, this.rows.node));
    this.rows.size(this.pages.total, this.pages.widest);
    this.app.title(this.path);
    if (this.chosen) this.#reach(this.chosen[0]);
    if (!this.pages.total) fill(this.said, h("p", { class: "notice" }, "This file is empty."));
    this.#tellLine();
  }

  #title(file) {
    const facts = [file.language || "text", many(file.total_lines, "line"), file.size ? bytes(file.size) : "", ...(file.tags || [])].filter(Boolean);
    return [h("h1", { tabindex: "-1" }, crumbs(this.project, this.path)), h("p", { class: "facts" }, inertNodes(facts.join(" · ")), " ", originNode(file.provenance)), this.here];
  }

  #tools() {
    this.search = h("input", { type: "search", "aria-label": "Find in this file", placeholder: "Find in this file", autocomplete: "off", spellcheck: "false" });
    this.counted = h("span", { class: "counted", role: "status" });
    this.search.addEventListener("input", () => this.#find());
    const step = (by) => () => this.#next(by);
    const form = h("form", { class: "find", on: { submit: (event) => (event.preventDefault(), this.#next(1)) } }, this.search, this.counted, button("↑", step(-1), { class: "plain", "aria-label": "Previous match" }), button("↓", step(1), { class: "plain", "aria-label": "Next match" }));
    return h("search", {}, form);
  }

  /** Definitions by their first line: there, their name leads to callers and callees. */
  #links(outline) {
    const links = new Map();
    for (const one of outline) {
      const names = links.get(one.start_line) || new Map();
      names.set(one.name, symbolAddress(this.project, one.qualified || one.name, this.path));
      links.set(one.start_line, names);
    }
    return links;
  }

  #row(index) {
    const tokens = this.pages.tokens(index);
    const number = index + 1;
    const chosen = this.chosen && number >= this.chosen[0] && number <= this.chosen[1];
    return h(
      "div",
      { class: `row${chosen ? " chosen" : ""}${this.found.includes(number) ? " found" : ""}` },
      h("a", { class: "number", href: fileAddress(this.project, this.path, number), "data-line": number, tabindex: "-1", "aria-label": `Line ${number}` }, String(number)),
      h("span", { class: "line" }, tokens ? lineNodes(tokens, { links: this.links.get(number), pattern: this.pattern }) : "…"),
    );
  }

  #arrived(from, to) {
    if (!this.rows) return;
    this.rows.size(this.pages.total, this.pages.widest);
    this.rows.redo(from, to);
  }

  #seen(first, last) {
    this.pages.want(first, last);
    const line = this.chosen && this.chosen[0] - 1 >= first && this.chosen[0] - 1 <= last ? this.chosen[0] : first + 1;
    this.outline.mark(line);
  }

  #clicked(event) {
    const cell = event.target.closest(".number");
    if (!cell || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const line = Number(cell.dataset.line);
    const from = event.shiftKey && this.chosen ? this.chosen[0] : line;
    this.#choose(`${Math.min(from, line)}-${Math.max(from, line)}`);
    const [first, last] = this.chosen;
    settle(fileAddress(this.project, this.path, first === last ? first : `${first}-${last}`));
  }

  #choose(text) {
    const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text || "");
    this.chosen = found ? [Number(found[1]), Math.max(Number(found[1]), Number(found[2] || found[1]))] : null;
    this.rows?.redo();
    if (this.rows) this.#tellLine();
  }

  #tellLine() {
    const line = this.#line();
    const around = this.chosen && this.#around();
    fill(
      this.here,
      this.chosen ? h("span", {}, `Line ${count(line)}`) : null,
      around ? [" in ", h("a", { href: symbolAddress(this.project, around.qualified || around.name, this.path) }, h("bdi", {}, inertNodes(around.qualified || around.name)), ": callers and callees")] : null,
      " ",
      button("Copy path:line", () => copyPlace(this.path, this.#line()), { class: "plain" }),
    );
  }

  #line() {
    return this.chosen ? this.chosen[0] : this.rows.first + 1;
  }

  #around() {
    return this.outline.around(this.#line(), this.chosen?.[1]);
  }

  #reach(line) {
    this.rows?.reach(Math.min(line, this.pages.total) - 1);
  }

  #calls() {
    const around = this.#around();
    if (around) go(symbolAddress(this.project, around.qualified || around.name, this.path));
    else tell(this.outline.reaches(this.#line()) ? "No definition is at this line" : "The outline does not reach down to this line");
  }

  async #find() {
    const pattern = this.search.value;
    this.finder.drop();
    if (!pattern) return this.#matched([], null);
    const ignoreCase = pattern === pattern.toLowerCase(); // a capital is meant
    const question = { project_id: this.project, pattern, literal: true, ignore_case: ignoreCase, ...onlyFile(this.path), limit: 10000 };
    try {
      const answer = await this.finder.ask((signal) => post("grep", question, signal));
      if (!answer) return undefined;
      const file = answer.files.find(({ path }) => path === this.path);
      const lines = (file?.lines || []).filter(({ match }) => match).map(({ line }) => line);
      this.amount = answer.truncated ? `the first ${many(lines.length, "line")}` : many(lines.length, "line");
      return this.#matched(lines, new RegExp(pattern.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), ignoreCase ? "giu" : "gu"));
    } catch (error) {
      return fill(this.counted, inert(error.message));
    }
  }

  #matched(lines, pattern) {
    this.found = lines;
    this.pattern = pattern;
    this.step = -1;
    fill(this.counted, pattern ? this.amount : "");
    this.rows.redo();
    if (lines.length) this.#next(1);
    return undefined;
  }

  #next(by) {
    if (!this.found.length) return;
    this.step = (this.step + by + this.found.length) % this.found.length;
    this.#reach(this.found[this.step]);
    fill(this.counted, `${this.step + 1} of ${this.amount}`);
    announce(`Line ${this.found[this.step]}`);
  }
}
