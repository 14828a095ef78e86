// Lines of code as elements: numbers, colours, marks, links. All text is inert. Knows nothing of where the code is from.

import { h } from "./dom.js";
import { inertNodes } from "./text.js";
import { spans } from "./marks.js";

const LONGEST = 4000; // characters of one line that are shown at first

/** The contents of a line, with what `pattern` finds marked. `links` maps a name to an address: each token that is that name becomes a link. */
export function lineNodes(tokens, { pattern = null, links = null } = {}) {
  const text = tokens.map(([, part]) => part).join("");
  const marks = spans(text, pattern);
  const nodes = [];
  let at = 0;
  for (const [kind, part] of clipped(tokens)) {
    const inside = marked(part, at, marks);
    const to = links?.get(part);
    if (to) nodes.push(h("a", { class: `token-link ${kind && `t-${kind}`}`, href: to }, inside));
    else if (kind) nodes.push(h("span", { class: `t-${kind}` }, inside));
    else nodes.push(...inside);
    at += part.length;
  }
  if (text.length > LONGEST) nodes.push(h("span", { class: "cut" }, ` … ${text.length - LONGEST} more characters`));
  return nodes;
}

function clipped(tokens) {
  let left = LONGEST;
  const kept = [];
  for (const [kind, part] of tokens) {
    if (left <= 0) break;
    kept.push([kind, part.length > left ? part.slice(0, left) : part]);
    left -= part.length;
  }
  return kept;
}

function marked(part, at, marks) {
  const nodes = [];
  let from = 0;
  for (const [begin, end] of marks) {
    const [low, high] = [Math.max(begin - at, from), Math.min(end - at, part.length)];
    if (high <= low) continue;
    if (low > from) nodes.push(...inertNodes(part.slice(from, low)));
    nodes.push(h("mark", {}, inertNodes(part.slice(low, high))));
    from = high;
  }
  if (from < part.length) nodes.push(...inertNodes(from ? part.slice(from) : part));
  return nodes;
}

/** A block of lines with numbers. `rows` are tokens of lines; `first` is the number of the first. */
export function block(rows, first, options = {}) {
  const width = String(first + rows.length).length;
  return h(
    "div",
    { class: "code", role: "group", "aria-label": options.label || "code", tabindex: "0" },
    rows.map((row, index) => {
      const number = first + index;
      const links = options.linksAt ? options.linksAt(number) : null;
      return h(
        "div",
        { class: options.isGap?.(index) ? "row gap-before" : "row" },
        h("span", { class: "number", "aria-hidden": "true" }, String(number).padStart(width)),
        h("span", { class: "line" }, lineNodes(row, { pattern: options.pattern, links })),
      );
    }),
  );
}
