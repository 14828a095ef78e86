// One result of a search, as an article: where, what, the best lines, why.

import { button, h } from "./dom.js";
import { inert, inertNodes } from "./text.js";
import { highlighted } from "./highlight.js";
import { bestWindow } from "./marks.js";
import { block } from "./code.js";
import { reasons } from "./reasons.js";
import { copyPlace, fileAddress, lineRange, originNode, pathNodes, symbolAddress } from "./place.js";

const SHOWN = 7; // lines at first
const LOOKED = 120; // lines among which the best are looked for

/** The article of a result. `at` is its place among all, from 1; `total` how many there are. */
export function article(result, { project, pattern, at, total }) {
  const { path, start_line: first, end_line: last } = result;
  const place = fileAddress(project, path, lineRange(first, last).replace("–", "-"));
  return h(
    "article",
    { class: "hit", tabindex: "-1", "aria-posinset": at, "aria-setsize": total, "aria-labelledby": `hit-${at}`, "data-at": at },
    h(
      "header",
      {},
      h("h3", { id: `hit-${at}` }, h("a", { href: place, class: "hit-place" }, pathNodes(path), h("span", { class: "lines" }, `:${lineRange(first, last)}`))),
      whatNodes(result, project),
      button("Copy", () => copyPlace(path, first), { class: "plain copy", "aria-label": `Copy ${inert(path)}:${first}` }),
    ),
    originNode(result.provenance),
    excerpt(result, pattern),
    reasons(result.shares, result.score),
  );
}

function whatNodes({ symbol, kind, chunk_type: type, language, tags, path }, project) {
  const isDefined = symbol && type === "definitions";
  const name = symbol && h("bdi", {}, inertNodes(symbol));
  return h(
    "p",
    { class: "what" },
    h("span", { class: "kind" }, inertNodes(kind || type)),
    isDefined ? h("a", { href: symbolAddress(project, symbol, path), class: "symbol" }, name) : name ? h("span", { class: "symbol" }, name) : null,
    language ? h("span", { class: "language" }, inertNodes(language)) : null,
    (tags || []).map((tag) => h("span", { class: "tag" }, inertNodes(tag))),
  );
}

function excerpt(result, pattern) {
  const lines = trimmed(result.text);
  const from = lines.length > SHOWN ? bestWindow(lines.slice(1, LOOKED), pattern, SHOWN - 1, lines[0]) + 1 : 1;
  const coloured = (most) => highlighted(lines.slice(0, most), result.language).rows;
  const holder = h("div", { class: "excerpt" });
  const few = () => [
    block(window(coloured(from + SHOWN - 1), from), result.start_line, { pattern, label: "excerpt", isGap: (index) => index === 1 && from > 1 }),
  ];
  const whole = () => [block(coloured(lines.length), result.start_line, { pattern, label: "whole chunk" })];
  holder.append(...(lines.length > SHOWN ? few() : whole()));
  if (lines.length <= SHOWN) return holder;
  numbers(holder, result.start_line, from);
  const more = button(`All ${lines.length} lines`, () => expand(holder, more, whole), { class: "plain more-lines" });
  holder.append(more);
  return holder;
}

/** The first line, which says what it is, and the lines that say most. */
function window(rows, from) {
  return [rows[0], ...rows.slice(from, from + SHOWN - 1)];
}

function numbers(holder, first, from) {
  holder.querySelectorAll(".number").forEach((cell, index) => {
    cell.textContent = String(index ? first + from + index - 1 : first);
  });
}

function expand(holder, more, whole) {
  holder.replaceChildren(...whole());
  holder.firstChild.focus();
  more.remove();
}

function trimmed(text) {
  const lines = text.split(/\r?\n/);
  while (lines.length > 1 && !lines.at(-1).trim()) lines.pop();
  return lines;
}
