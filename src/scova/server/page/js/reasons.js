// Why a result is there: the shares of its score as a small bar, and in words. Knows the signals' names (docs/reference/ranking.md).

import { button, h } from "./dom.js";

const GROUPS = [
  { name: "words", signals: ["text", "file_text", "matching_lines"] },
  { name: "meaning", signals: ["vector", "file_vector"] },
  { name: "names", signals: ["exact", "name", "file_names", "symbol"] },
  { name: "path", signals: ["file_named", "file_name", "folders"] },
  { name: "neighbours", signals: ["used", "beside"] },
];
const SIGNALS = {
  text: "the words stand in this chunk",
  file_text: "the words stand in many places of the file",
  vector: "this chunk is near in meaning",
  file_vector: "the file as a whole is near in meaning",
  name: "a name defined here is like the question",
  file_names: "names defined in the file cover the question",
  exact: "exactly this name is defined here",
  file_name: "the question is in the file's name",
  file_named: "the file's name is in the question",
  folders: "the question is in the folders' names",
  used: "files that answer make use of it",
  beside: "a file in the same folder answers",
  aside: "it is a test, an example, generated or vendored",
  docs: "it is prose, and code was asked for",
  map: "it is only the map of a file",
  data: "it is data or configuration",
  matching_lines: "so many lines match the pattern",
  symbol: "a name defined here is what was asked for",
  repeated: "other chunks of the same file stand above",
};

const ofGroup = (group, shares) => group.signals.reduce((sum, name) => sum + Math.max(0, shares[name] || 0), 0);

/** The bar with its words; null where there are no shares. */
export function reasons(shares, score) {
  if (!shares || !Object.keys(shares).length) return null;
  const groups = GROUPS.map((group) => ({ ...group, value: ofGroup(group, shares) }));
  const against = Object.values(shares).reduce((sum, value) => sum + Math.min(0, value), 0);
  const all = groups.reduce((sum, group) => sum + group.value, 0) - against || 1;
  const says = summary(groups, against);
  const list = h("div", { class: "why-list", hidden: true });
  const open = button("Why", () => toggle(open, list, () => legend(shares, score)), {
    class: "plain why-open",
    "aria-expanded": "false",
    "aria-label": `Why: ${says}`,
  });
  return h("div", { class: "why" }, h("div", { class: "why-line" }, bar(groups, against, all), h("span", { class: "why-says" }, says), open), list);
}

function bar(groups, against, all) {
  const pieces = groups.filter((group) => group.value > 0).map((group) => ({ name: group.name, value: group.value }));
  if (against < 0) pieces.push({ name: "against", value: -against });
  return h(
    "span",
    { class: "why-bar", "aria-hidden": "true" },
    pieces.map(({ name, value }) => {
      const piece = h("span", { class: `share share-${name}` });
      piece.style.flexGrow = String(value / all);
      return piece;
    }),
  );
}

/** "mostly path, then words; held back". */
function summary(groups, against) {
  const total = groups.reduce((sum, group) => sum + group.value, 0) || 1;
  const kept = groups.filter((group) => group.value / total >= 0.1).sort((one, other) => other.value - one.value);
  const said = kept.map((group) => `${group.name} ${Math.round((100 * group.value) / total)}\u00a0%`).join(", ");
  return `${said || "little speaks for it"}${against < -0.05 ? "; held back" : ""}`;
}

function toggle(open, list, make) {
  const shown = open.getAttribute("aria-expanded") === "true";
  if (!shown && !list.firstChild) list.append(make());
  list.hidden = shown;
  open.setAttribute("aria-expanded", String(!shown));
}

/** Every signal with what it gave, in words. */
function legend(shares, score) {
  const rows = Object.entries(shares)
    .filter(([, value]) => value)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  return h(
    "table",
    { class: "why-table" },
    h("caption", {}, `The shares add up to the score, ${score.toFixed(2)}`),
    h("tbody", {}, rows.map(([name, value]) => row(name, value))),
  );
}

function row(name, value) {
  const group = value < 0 ? "against" : GROUPS.find(({ signals }) => signals.includes(name))?.name || "neighbours";
  return h(
    "tr",
    {},
    h("td", {}, h("span", { class: `share-dot share-${group}`, "aria-hidden": "true" }), group),
    h("td", {}, SIGNALS[name] || name),
    h("td", { class: "amount" }, `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`),
  );
}
