// The filters of a search: menus that add one, chips that take it away. Knows what the project holds, not what is found.

import { button, fill, h } from "./dom.js";
import { inert, inertNodes } from "./text.js";
import { count } from "./format.js";

export const MODES = {
  hybrid: "words and meaning",
  text: "words only",
  vector: "meaning only",
  symbol: "names of definitions",
  regex: "regular expression",
};
const FIELDS = [
  { name: "lang", label: "Language", from: "languages", asked: "languages" },
  { name: "type", label: "Type", from: "chunk_types", asked: "chunk_types" },
  { name: "kind", label: "Kind", from: "kinds", asked: "kinds" },
  { name: "tag", label: "Tag", from: "tags", asked: "tags" },
  { name: "path", label: "Path", asked: "paths" },
  { name: "not", label: "Not in", asked: "not_paths" },
];
export const NAMES = FIELDS.map(({ name }) => name);

/** What is chosen, as fields of a question. */
export function asFields(chosen) {
  return Object.fromEntries(FIELDS.map(({ name, asked }) => [asked, chosen[name] || []]).filter(([, values]) => values.length));
}

export class Filters {
  /** `changed` is called when something was chosen. */
  constructor(changed) {
    this.changed = changed;
    this.chosen = {};
    this.mode = "hybrid";
    this.held = {};
    this.menus = h("div", { class: "menus" });
    this.chips = h("ul", { class: "chips", "aria-label": "Filters in force" });
    this.summary = h("summary", {}, "Filters");
    this.node = h("details", { class: "filters", open: matchMedia("(min-width: 44rem)").matches }, this.summary, this.menus);
    this.#menus();
  }

  /** Show what is chosen. */
  set(chosen, mode) {
    this.chosen = chosen;
    this.mode = MODES[mode] ? mode : "hybrid";
    this.#menus();
    this.#chips();
  }

  /** What the project holds: counts by language, type, kind and tag. */
  offer(held) {
    this.held = held;
    this.#menus();
  }

  #menus() {
    if (this.menus.contains(document.activeElement)) return; // not under someone's hands
    fill(this.menus, this.#modes(), FIELDS.map((field) => (field.from ? this.#menu(field) : this.#entry(field))));
  }

  #modes() {
    const options = Object.entries(MODES).map(([value, says]) => h("option", { value, selected: value === this.mode }, says));
    const pick = h("select", { on: { change: () => this.#pick(() => (this.mode = pick.value)) } }, options);
    return h("label", { class: "field" }, h("span", {}, "Search by"), pick);
  }

  #menu({ name, label, from }) {
    const held = Object.entries(this.held[from] || {}).filter(([value, number]) => value && number && !(this.chosen[name] || []).includes(value));
    if (!held.length) return null;
    held.sort(([, one], [, other]) => other - one);
    const pick = h(
      "select",
      { on: { change: () => this.#pick(() => this.#add(name, pick.value)) } },
      h("option", { value: "" }, "any"),
      held.map(([value, number]) => h("option", { value }, `${inert(value)} (${count(number)})`)),
    );
    return h("label", { class: "field" }, h("span", {}, label), pick);
  }

  #entry({ name, label }) {
    const input = h("input", { type: "text", placeholder: name === "path" ? "src/**/*.py" : "tests", spellcheck: "false", autocomplete: "off" });
    input.addEventListener("change", () => input.value.trim() && this.#pick(() => this.#add(name, input.value.trim())));
    return h("label", { class: "field" }, h("span", {}, label), input);
  }

  #add(name, value) {
    if (value) this.chosen = { ...this.chosen, [name]: [...new Set([...(this.chosen[name] || []), value])] };
  }

  #pick(act) {
    act();
    const label = document.activeElement?.closest(".field")?.firstChild?.textContent;
    document.activeElement?.blur();
    this.#menus();
    this.#chips();
    [...this.menus.children].find((field) => field.firstChild.textContent === label)?.lastChild.focus();
    this.changed();
  }

  #chips() {
    const all = FIELDS.flatMap(({ name, label }) => (this.chosen[name] || []).map((value) => ({ name, label, value })));
    this.summary.textContent = all.length ? `Filters (${all.length})` : "Filters";
    fill(this.chips, all.map((one) => h("li", {}, this.#chip(one))));
    this.chips.hidden = !all.length;
  }

  #chip({ name, label, value }) {
    const drop = () => {
      this.chosen = { ...this.chosen, [name]: this.chosen[name].filter((one) => one !== value) };
      this.#menus();
      this.#chips();
      (this.chips.querySelector("button") || this.summary).focus();
      this.changed();
    };
    const says = [h("span", { class: "chip-label" }, `${label} `), h("bdi", {}, inertNodes(value)), h("span", { "aria-hidden": "true" }, " ×")];
    return button(says, drop, { class: "chip", "aria-label": `Remove filter ${label} ${inert(value)}` });
  }
}
