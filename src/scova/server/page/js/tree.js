// Who calls whom, as a tree of names. What is certain and what is only a candidate differ in line and in words.

import { button, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { many } from "./format.js";
import { fileAddress, symbolAddress } from "./place.js";

const NOTES = {
  cycle: "calls itself in a circle",
  seen: "shown above",
  cut: "more below is left out",
};
const SITES = 4;

/** The nodes below a root. `direction` is callers or callees. */
export function tree(nodes, { project, direction, depth }) {
  if (!nodes.length) return null;
  return h("ul", { class: "tree" }, nodes.map((node) => h("li", { class: node.certainty === "candidate" ? "edge candidate" : "edge" }, item(node, { project, direction, depth }))));
}

function item(node, { project, direction, depth }) {
  const below = tree(node.nodes, { project, direction, depth });
  return [
    h("div", { class: "node" }, below ? fold(below, node) : null, name(node, project, depth), node.note && node.note !== "guess" ? h("span", { class: "note" }, NOTES[node.note] || node.note) : null),
    where(node, project),
    sites(node, { project, direction }),
    below,
  ];
}

function fold(below, node) {
  const act = button("▾", () => {
    below.hidden = !below.hidden;
    act.setAttribute("aria-expanded", String(!below.hidden));
    act.textContent = below.hidden ? "▸" : "▾";
  }, { class: "plain fold", "aria-expanded": "true", "aria-label": `What is below ${node.name}` });
  return act;
}

function name(node, project, depth) {
  const shown = h("bdi", {}, inertNodes(node.name || "(outermost code)"));
  if (!node.definition) return h("span", { class: "symbol unknown" }, shown);
  return h("a", { href: symbolAddress(project, node.definition.qualified || node.name, node.definition.path, depth), class: "symbol" }, shown);
}

function where(node, project) {
  const path = node.definition?.path || node.path;
  if (!path) return h("p", { class: "where quiet" }, "defined nowhere in this project");
  const line = node.definition?.start_line || node.sites[0]?.line || "";
  return h("p", { class: "where" }, h("a", { href: fileAddress(project, path, line) }, h("bdi", {}, inertNodes(path)), line ? `:${line}` : ""));
}

/** Where the calls are, and how sure each is. */
function sites(node, { project, direction }) {
  if (!node.sites.length) return null;
  const verb = direction === "callers" ? "calls" : "called";
  const shown = node.sites.slice(0, SITES).map((site, index) => [index ? ", " : "", h("a", { href: fileAddress(project, site.path, site.line) }, `line ${site.line}`)]);
  const more = node.sites.length > SITES ? ` and ${many(node.sites.length - SITES, "more place", "more places")}` : "";
  const candidate = node.certainty === "candidate";
  return h(
    "p",
    { class: "sites" },
    candidate ? h("strong", { class: "candidate-word" }, direction === "callers" ? "may call" : "may be called") : verb,
    " at ",
    shown,
    more,
    candidate ? h("span", { class: "reason" }, inertNodes(`: ${node.sites[0].reason}`)) : null,
  );
}
