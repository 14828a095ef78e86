// Sources of a project: the list with what failed and why, and the form for a new one. Asks nothing of the server itself.

import { button, h } from "./dom.js";
import { inert, inertNodes, steers } from "./text.js";
import { many } from "./format.js";

const TYPES = { url: "a page", sitemap: "all pages of a sitemap", pdf: "a PDF" };
const HINTS = { url: "https://example.org/guide", sitemap: "https://example.org/sitemap.xml", pdf: "https://example.org/manual.pdf" };

/** The list. `drop(id)` removes one; null where that is not allowed. */
export function sourceList(sources, { failures, drop }) {
  if (!sources.length) return h("p", { class: "quiet" }, "None. Add a page, a sitemap or a PDF, then build.");
  const failed = new Map(failures.map((failure) => [failure.source_id, failure]));
  return h("ul", { class: "sources" }, sources.map((source) => item(source, failed.get(source.source_id), drop)));
}

function item(source, failure, drop) {
  const limits = [source.include.length && `only ${source.include.join(", ")}`, source.exclude.length && `not ${source.exclude.join(", ")}`, source.max_pages && `at most ${many(source.max_pages, "page")}`].filter(Boolean);
  return h(
    "li",
    { class: failure ? "source-item has-failed" : "source-item" },
    h("div", { class: "source-head" }, h("span", { class: "kind" }, source.type), uri(source.uri), source.tags.map((tag) => h("span", { class: "tag" }, inertNodes(tag))), drop ? button("Remove", () => drop(source.source_id), { class: "plain", "aria-label": `Remove ${inert(source.uri)}` }) : null),
    limits.length ? h("p", { class: "quiet" }, inertNodes(limits.join("; "))) : null,
    failure ? h("p", { class: "failure" }, h("strong", {}, `Failed (${many(failure.attempts, "attempt")}): `), inertNodes(failure.error)) : null,
  );
}

function uri(text) {
  const shown = h("bdi", { class: "uri" }, inertNodes(text));
  return /^https?:\/\//i.test(text) && !steers(text) ? h("a", { href: text, rel: "noopener noreferrer external", target: "_blank" }, shown) : shown;
}

/** The form. `add(source)` answers whether it was taken. */
export function sourceForm(add) {
  const type = h("select", { id: "source-type" }, Object.entries(TYPES).map(([value, says]) => h("option", { value }, says)));
  const address = h("input", { id: "source-uri", type: "url", required: true, placeholder: HINTS.url, autocomplete: "off", spellcheck: "false" });
  const tags = h("input", { id: "source-tags", type: "text", placeholder: "guide, api", autocomplete: "off" });
  const include = h("input", { id: "source-include", type: "text", placeholder: "*/docs/*", autocomplete: "off", spellcheck: "false" });
  const exclude = h("input", { id: "source-exclude", type: "text", placeholder: "*/old/*", autocomplete: "off", spellcheck: "false" });
  const pages = h("input", { id: "source-pages", type: "number", min: "0", placeholder: "all" });
  const only = [field("Only addresses like", include), field("Not addresses like", exclude)];
  const most = field("At most pages", pages);
  const fit = () => {
    address.placeholder = HINTS[type.value];
    for (const one of only) one.hidden = type.value !== "sitemap";
    most.hidden = type.value === "url";
  };
  type.addEventListener("change", fit);
  fit();
  const submit = async (event) => {
    event.preventDefault();
    const patterns = type.value === "sitemap" ? { include: words(include.value), exclude: words(exclude.value) } : {};
    await add({ type: type.value, uri: address.value.trim(), tags: words(tags.value), max_pages: type.value === "url" ? 0 : Number(pages.value) || 0, ...patterns });
  };
  return h("form", { class: "source-form", on: { submit } }, h("h3", {}, "Add a source"), h("div", { class: "fields" }, field("What", type), field("Address", address, "wide"), field("Tags", tags), only, most), h("button", { type: "submit" }, "Add"));
}

function field(label, input, kind = "") {
  return h("label", { class: `field ${kind}` }, h("span", {}, label), input);
}

const words = (text) => text.split(/[\s,]+/).filter(Boolean);
