// The view Health: how large and how fresh the index is, who watches, what was left out; how it grew, how fast it answers, what was built.

import { Latest, get, of } from "./api.js";
import { button, fill, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { ago, bytes, count, exactly, many, moment, span } from "./format.js";
import { address } from "./router.js";
import { stateWords } from "./job.js";
import { bars, figure, spansOfTime, steps } from "./plots.js";
import { announce, problem, waiting } from "./notices.js";
import { unfilled } from "./unfilled.js";

const EVERY = 15000; // between two looks while one watches
const BUILDS = 12;
const TIERS = { text: "words", symbols: "names", vectors: "meaning" };

export class Health {
  constructor(main, route, app) {
    Object.assign(this, { main, app, project: route.project, latest: new Latest() });
    fill(main, waiting());
    app.title("Health");
    this.refresh();
    this.timer = setInterval(() => document.hidden || main.querySelector("details[open]") || this.refresh(), EVERY);
  }

  close() {
    clearInterval(this.timer);
    this.latest.drop();
  }

  async refresh() {
    try {
      const health = await this.latest.ask((signal) => get(of(this.project, "health"), {}, signal));
      if (health) this.#draw(health);
    } catch (error) {
      fill(this.main, this.#title(), problem(error, () => this.refresh()));
    }
  }

  #title() {
    return h("h1", { tabindex: "-1" }, "Health of ", h("bdi", {}, inertNodes(this.project)));
  }

  #draw(health) {
    const inside = this.main.contains(document.activeElement) && document.activeElement.tagName;
    fill(
      this.main,
      this.#title(),
      health.files ? null : unfilled(this.app, this.project),
      tiles(health),
      freshness(health),
      h("section", { class: "plots", "aria-labelledby": "title-plots" }, h("h2", { id: "title-plots", class: "unseen" }, "Plots"), growth(health), latency(health.latency), timeline(health.builds)),
      h("div", { class: "tallies" }, this.#tally("Languages", health.languages, "lang"), this.#tally("Chunk types", health.chunk_types, "type"), this.#tally("Kinds of definition", health.kinds, "kind")),
      skipped(health),
    );
    if (inside === "H1") this.main.querySelector("h1").focus({ preventScroll: true });
    if (inside === "BUTTON") this.main.querySelector("#look-again").focus({ preventScroll: true });
    announce(`${many(health.files, "file")}, ${bytes(health.bytes_on_disk)}`);
    this.main.querySelector("#look-again").addEventListener("click", () => this.refresh());
  }

  #tally(title, counts, filter) {
    const rows = Object.entries(counts || {}).filter(([, number]) => number).sort(([, one], [, other]) => other - one);
    const most = rows[0]?.[1] || 1;
    const row = ([name, number]) => {
      const bar = h("span", { class: "tally-bar" });
      bar.style.width = `${(100 * number) / most}%`;
      const link = name ? h("a", { href: address("search", this.project, "", { [filter]: name }) }, inertNodes(name)) : "without a name";
      return h("tr", {}, h("th", { scope: "row" }, link), h("td", { class: "amount" }, count(number)), h("td", { class: "tally-cell", "aria-hidden": "true" }, bar));
    };
    const few = rows.slice(0, 8);
    const rest = rows.slice(8);
    return h(
      "section",
      { class: "tally" },
      h("h2", {}, title),
      rows.length ? h("table", {}, h("caption", { class: "unseen" }, title), h("tbody", {}, few.map(row))) : h("p", { class: "quiet" }, "None."),
      rest.length ? h("details", {}, h("summary", {}, `${rest.length} more`), h("table", {}, h("caption", { class: "unseen" }, `${title}, the others`), h("tbody", {}, rest.map(row)))) : null,
    );
  }
}

function tiles({ files, chunks, symbols, calls, bytes_on_disk: size }) {
  const all = [["Files", count(files)], ["Chunks", count(chunks)], ["Definitions", count(symbols)], ["Calls", count(calls)], ["On disk", bytes(size)]];
  return h("dl", { class: "tiles" }, all.map(([name, value]) => h("div", { class: "tile" }, h("dt", {}, name), h("dd", {}, value))));
}

function freshness({ indexed_at: at, freshness: fresh, behind, watcher, embedder }) {
  const late = Object.entries(fresh.tiers).filter(([, complete]) => !complete).map(([tier]) => TIERS[tier] || tier);
  const rows = [
    ["Last change", at ? h("span", { title: exactly(at) }, `${ago(at)} (${exactly(at)})`) : "never"],
    ["Change number", count(fresh.change_seq)],
    ["Waiting", waitingWords(fresh)],
    ["Complete", late.length ? `not yet: ${late.join(", ")}` : "words, names and meaning are up to date"],
    ["Vectors by", embedder],
    ["Watcher", watcherWords(watcher)],
    ...Object.entries(behind).map(([part, why]) => [`Behind: ${part}`, why]),
  ];
  return h("section", { class: "freshness", "aria-labelledby": "title-fresh" }, h("div", { class: "section-head" }, h("h2", { id: "title-fresh" }, "Freshness"), button("Look again", () => {}, { class: "plain", id: "look-again" })), h("dl", { class: "facts-list" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, inertNodes(name)), h("dd", {}, typeof value === "string" ? inertNodes(value) : value)))));
}

function waitingWords({ pending_files: files, pending_embeddings: vectors }) {
  const parts = [files ? many(files, "file") : "", vectors ? `${many(vectors, "vector")}` : ""].filter(Boolean);
  return parts.length ? parts.join(", ") : "nothing";
}

function watcherWords(watcher) {
  if (!watcher) return "none; the index changes when something is pushed or built";
  const parts = [watcher.state, watcher.queue ? `${many(watcher.queue, "path")} waiting` : "", watcher.note].filter(Boolean);
  return parts.join(", ");
}

const day = (milliseconds) => new Date(milliseconds).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

function growth({ growth: points, files: all }) {
  const known = points.map((point) => ({ x: moment(point.at)?.valueOf(), value: point.chunks, ...point })).filter(({ x }) => x);
  if (!known.length) return none("Growth of the index", "Nothing was indexed yet.");
  const [first, last] = [known[0], known.at(-1)];
  const empty = all > last.files ? ` Files with nothing in them have no chunk, and are not among these: ${count(all - last.files)}.` : "";
  return figure("Growth of the index", {
    height: 180,
    draw: steps(known, day),
    says: `Chunks in the index over time: ${count(first.chunks)} at ${day(first.x)}, ${count(last.chunks)} (of ${many(last.files, "file")}) at ${day(last.x)}. What is there now is counted, by when it came.${empty}`,
    table: { heads: ["When", "Files with chunks", "Chunks"], rows: known.map(({ x, files, chunks }) => [day(x), count(files), count(chunks)]) },
  });
}

function latency({ bounds_ms: bounds, counts }) {
  const total = counts.reduce((sum, one) => sum + one, 0);
  if (!total) return none("Time a search takes", "Nothing was searched since the server started.");
  const labels = counts.map((_, index) => (index < bounds.length ? `${bounds[index]}` : `>${bounds.at(-1)}`));
  let seen = 0;
  const middle = counts.findIndex((one) => (seen += one) >= total / 2);
  return figure("Time a search takes", {
    height: 180,
    draw: bars(counts.map((value, index) => ({ label: labels[index], value }))),
    says: `${many(total, "search", "searches")} since this server started, by how many milliseconds each took at most. Half of them took ${middle < bounds.length ? `at most ${bounds[middle]}` : `more than ${bounds.at(-1)}`} ms.`,
    table: { heads: ["At most (ms)", "Searches"], rows: counts.map((value, index) => [labels[index], count(value)]) },
  });
}

function timeline(builds) {
  const rows = builds.slice(0, BUILDS).map((build) => {
    const from = (moment(build.began) || moment(build.created_at) || new Date()).valueOf();
    const to = (moment(build.ended) || new Date()).valueOf();
    return { ...build, from, to: Math.max(from, to) };
  });
  if (!rows.length) return none("Builds", "None yet. Sources are built under Build.");
  const line = 24;
  return figure("Builds", {
    height: rows.length * line + 26,
    draw: spansOfTime(rows.map(({ state, from, to }) => ({ label: `${state}, ${span((to - from) / 1000)}`, from, to, kind: state })), { mark: day, line }),
    says: `The last ${many(rows.length, "build")}, the newest first; the newest: ${rows[0].kind}, ${stateWords(rows[0].state)}, ${span((rows[0].to - rows[0].from) / 1000)}.`,
    table: { heads: ["Build", "State", "Began", "Took", "Phases"], rows: rows.map(({ kind, state, from, to, phases }) => [kind, stateWords(state), day(from), span((to - from) / 1000), Object.entries(phases || {}).map(([name, ms]) => `${name} ${span(ms / 1000)}`).join(", ")]) },
  });
}

function none(title, says) {
  return h("figure", { class: "figure" }, h("h3", {}, title), h("p", { class: "quiet" }, says));
}

function skipped({ skipped: reasons, skipped_files: files, skipped_truncated: cut }) {
  const total = Object.values(reasons).reduce((sum, one) => sum + one, 0);
  return h(
    "section",
    { class: "skipped", "aria-labelledby": "title-skipped" },
    h("h2", { id: "title-skipped" }, `Left out (${count(total)})`),
    total ? h("p", {}, inertNodes(Object.entries(reasons).map(([reason, number]) => `${reason}: ${count(number)}`).join(" · "))) : h("p", { class: "quiet" }, "No file was left out."),
    files.length ? h("div", { class: "table-holder", tabindex: "0", role: "region", "aria-label": "Files that were left out" }, h("table", {}, h("caption", { class: "unseen" }, "Files that were left out, and why"), h("thead", {}, h("tr", {}, ["File", "Why", "More"].map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, files.map((file) => h("tr", {}, h("td", {}, h("bdi", {}, inertNodes(file.path))), h("td", {}, inertNodes(file.reason)), h("td", {}, inertNodes(file.detail))))))) : null,
    cut ? h("p", { class: "quiet" }, "These are the first; there are more.") : null,
  );
}
