// Plots: drawn here, redrawn when the space changes, each with what it shows in words and as a table. Knows numbers, no API.

import { h, s } from "./dom.js";
import { inertNodes } from "./text.js";
import { count } from "./format.js";

const MARGIN = { top: 10, right: 12, bottom: 26, left: 46 };

/** A figure: `draw(width)` gives the marks; `says` is its text; `table` its numbers: {heads, rows}. */
export function figure(title, { draw, says, height, table }) {
  const id = `plot-${title.toLowerCase().replace(/\W+/g, "-")}`;
  const drawing = s("svg", { role: "img", "aria-labelledby": `${id}-title ${id}-says`, height, class: "plot" });
  const again = () => {
    const width = Math.max(240, drawing.parentNode?.clientWidth || 600);
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.setAttribute("width", width);
    drawing.replaceChildren(...draw(width, height));
  };
  const holder = h("div", { class: "plot-holder" }, drawing);
  new ResizeObserver(again).observe(holder);
  return h(
    "figure",
    { class: "figure" },
    h("h3", { id: `${id}-title` }, title),
    holder,
    h("figcaption", { id: `${id}-says` }, inertNodes(says)),
    table ? h("details", {}, h("summary", {}, "As a table"), tableOf(title, table)) : null,
  );
}

function tableOf(title, { heads, rows }) {
  return h(
    "div",
    { class: "table-holder", tabindex: "0", role: "region", "aria-label": `${title} as a table` },
    h("table", {}, h("caption", { class: "unseen" }, title), h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, inertNodes(String(cell)))))))),
  );
}

/** A round number not below: 1, 2 or 5 times a power of ten. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((times) => times * power).find((round) => round >= value);
}

/** Where numbers go: from 0 at the bottom to `most` at the top, with three lines across. */
function scale(most, width, height) {
  const top = roundUp(most);
  const y = (value) => height - MARGIN.bottom - (value / top) * (height - MARGIN.top - MARGIN.bottom);
  const lines = [0, top / 2, top].map((value) => [
    s("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
    s("text", { class: "tick", x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)),
  ]);
  return { y, lines: lines.flat() };
}

function short(value) {
  if (value >= 1e6) return `${+(value / 1e6).toFixed(1)}M`;
  if (value >= 1e3) return `${+(value / 1e3).toFixed(1)}k`;
  return count(+value.toFixed(1));
}

/** A line that climbs in steps: points are {x, value}, x in milliseconds. `mark(x)` names a moment. */
export function steps(points, mark) {
  return (width, height) => {
    const [from, to] = [points[0].x, points.at(-1).x];
    const x = (value) => MARGIN.left + (to > from ? (value - from) / (to - from) : 1) * (width - MARGIN.left - MARGIN.right);
    const { y, lines } = scale(Math.max(...points.map(({ value }) => value)), width, height);
    let path = `M${MARGIN.left},${y(points[0].value)}`;
    for (const { x: at, value } of points) path += `H${x(at)}V${y(value)}`;
    path += `H${width - MARGIN.right}`;
    return [
      ...lines,
      s("path", { class: "area", d: `${path}V${y(0)}H${MARGIN.left}Z` }),
      s("path", { class: "curve", d: path }),
      s("text", { class: "tick", x: MARGIN.left, y: height - 8 }, mark(from)),
      s("text", { class: "tick", x: width - MARGIN.right, y: height - 8, "text-anchor": "end" }, to > from ? mark(to) : ""),
    ];
  };
}

/** Bars side by side: {label, value}. */
export function bars(values) {
  return (width, height) => {
    const { y, lines } = scale(Math.max(2, ...values.map(({ value }) => value)), width, height);
    const step = (width - MARGIN.left - MARGIN.right) / values.length;
    const every = Math.ceil(38 / step);
    const marks = values.flatMap(({ label, value }, index) => {
      const left = MARGIN.left + index * step;
      return [
        value ? s("rect", { class: "bar", x: left + 2, y: y(value), width: Math.max(1, step - 4), height: Math.max(1, y(0) - y(value)), rx: 2 }) : null,
        index % every ? null : s("text", { class: "tick", x: left + step / 2, y: height - 8, "text-anchor": "middle" }, label),
      ];
    });
    return [...lines, ...marks.filter(Boolean)];
  };
}

/** Spans of time under each other: {label, from, to, kind}. */
export function spansOfTime(rows, { mark, line = 24 }) {
  return (width) => {
    const first = Math.min(...rows.map(({ from }) => from));
    const last = Math.max(...rows.map(({ to }) => to), first + 1);
    const left = Math.min(150, width * 0.34);
    const x = (at) => left + ((at - first) / (last - first)) * (width - left - MARGIN.right);
    const marks = rows.flatMap(({ label, from, to, kind }, index) => {
      const wide = Math.max(4, x(to) - x(from));
      return [
        s("text", { class: "tick", x: 0, y: index * line + 16 }, label),
        s("line", { class: "grid", x1: left, x2: width - MARGIN.right, y1: index * line + 12, y2: index * line + 12 }),
        s("rect", { class: `span span-${kind}`, x: Math.min(x(from), width - MARGIN.right - wide), y: index * line + 5, width: wide, height: 14, rx: 3 }),
      ];
    });
    const foot = rows.length * line + 16;
    return [...marks, s("text", { class: "tick", x: left, y: foot }, mark(first)), s("text", { class: "tick", x: width - MARGIN.right, y: foot, "text-anchor": "end" }, mark(last))];
  };
}
