// The view Search: asks while one types, shows the newest answer only, and keeps the question in the address.

import { Away, Latest, get, of, post } from "./api.js";
import { afterQuiet, fill, h, whenIdle } from "./dom.js";
import { inertNodes } from "./text.js";
import { count, many } from "./format.js";
import { address, go, settle } from "./router.js";
import { Filters, MODES, NAMES, asFields } from "./filters.js";
import { marker } from "./marks.js";
import { article } from "./result.js";
import { Results } from "./results.js";
import { announce, empty, lacking, problem, unfinished } from "./notices.js";
import { begun, lacksWord, wordless } from "./start.js";
import { unfilled } from "./unfilled.js";
import { copyPlace } from "./place.js";

const FIRST = 12;
const AT_ONCE = 3; // results that are laid out before anything else: as many as a window shows
const SETTLE = 150; // milliseconds without a key until the address is told: browsers count how often that is done
const PAGE = 50;
const LARGE = 200; // asked for at once by who goes on
const MOST = 1000; // that one answer may have

export class Search {
  constructor(main, route, app) {
    this.app = app;
    this.project = route.project;
    this.latest = new Latest();
    this.further = new Latest();
    this.at = 0;
    this.settleSoon = afterQuiet(SETTLE, () => this.#settle());
    this.#draw(main);
    this.update(route);
    this.#offer();
  }

  /** The address changed: ask what it says. */
  update({ params }) {
    this.input.value = params.get("q") || "";
    const chosen = Object.fromEntries(NAMES.map((name) => [name, params.getAll(name)]).filter(([, values]) => values.length));
    this.filters.set(chosen, params.get("mode") || "hybrid");
    this.opening = "";
    this.#ask(Number(params.get("n")) || 0);
  }

  refresh() {
    this.#ask(this.at);
    this.#offer();
  }

  close() {
    this.closed = true;
    this.latest.drop();
    this.further.drop();
    this.results.close();
  }

  /** To the question; with `all` chosen, so that one may type another. */
  focus(all = false) {
    this.input.focus({ preventScroll: true });
    if (all) this.input.select();
  }

  /** Keys of this view; true when one was taken. */
  key(event) {
    const typing = event.target === this.input;
    if (event.key === "ArrowDown" || (!typing && event.key === "j")) return this.#move(typing ? 1 : this.#here() + 1);
    if (!typing && (event.key === "ArrowUp" || event.key === "k")) return this.#move(this.#here() - 1);
    if (event.key === "Enter" && (typing || event.target.matches(".hit"))) return typing ? this.#enter() : this.#open(this.#here());
    if (event.key === "y" && !typing) return this.#copy();
    if (event.key === "Escape" && !typing) return this.#move(0);
    return false;
  }

  #draw(main) {
    this.input = h("input", {
      id: "question",
      type: "search",
      "aria-label": "Search code and documentation",
      placeholder: "A question, words, or a name",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      enterkeyhint: "search",
      on: { input: () => this.#typed() },
    });
    this.filters = new Filters(() => this.#typed());
    this.said = h("p", { class: "said" });
    this.state = h("div", { class: "state" });
    this.results = new Results({ build: (result, at) => this.#article(result, at), more: () => this.#more() });
    this.results.node.addEventListener("focusin", (event) => this.#focused(event));
    this.results.node.addEventListener("click", () => this.#settle(), true); // before it leads elsewhere
    const form = h("search", {}, h("form", { class: "ask", on: { submit: (event) => event.preventDefault() } }, h("div", { class: "ask-line" }, this.input, h("kbd", { "aria-hidden": "true" }, "/")), this.filters.node, this.filters.chips));
    const heading = h("h1", { class: "unseen", tabindex: "-1" }, "Search in ", inertNodes(this.project));
    fill(main, heading, form, this.said, this.state, h("h2", { class: "unseen" }, "Results"), this.results.node, this.results.end);
  }

  #article(result, at) {
    const made = article(result, { project: this.project, pattern: this.pattern, at, total: this.answer.total });
    if (at === this.at) made.setAttribute("aria-current", "true");
    return made;
  }

  #typed() {
    this.at = 0;
    this.opening = "";
    this.settleSoon();
    this.#ask(0);
  }

  #settle() {
    if (this.closed) return;
    const mode = this.filters.mode === "hybrid" ? "" : this.filters.mode;
    settle(address("search", this.project, "", { q: this.input.value, mode, ...this.filters.chosen, n: this.at || "" }));
    this.app.title(this.input.value ? `${this.input.value} · Search` : "Search");
  }

  async #ask(at) {
    const query = this.input.value.trim();
    this.at = at;
    this.further.drop();
    if (!query) return this.#nothing();
    const question = this.#question();
    try {
      const answer = await this.latest.ask((signal) => post("search", { ...question, limit: limitFor(at) }, signal));
      if (answer) this.#show(answer, question);
    } catch (error) {
      this.#refused(error);
    }
    return undefined;
  }

  #question() {
    return { project_id: this.project, query: this.input.value.trim(), mode: this.filters.mode, explain: true, ...asFields(this.filters.chosen) };
  }

  #show(answer, question) {
    const { query } = question;
    this.answer = answer;
    this.answered = JSON.stringify(question);
    this.next = answer.truncated ? answer.next : "";
    this.pattern = marker(query, this.filters.mode);
    fill(this.state, lacking(answer), answer.results.length ? weak(answer) : this.#none());
    fill(this.said, sayings(answer));
    this.#lay(answer.results);
    announce(answer.results.length ? `${many(answer.total, "result")} for ${query}` : `Nothing found for ${query}`);
    if (this.at) this.results.at(this.at)?.scrollIntoView({ block: "center" });
    if (this.opening === this.answered && document.activeElement === this.input) this.#enter();
  }

  /** Lay out the first results at once, and the others after they are painted: nobody waits for what is below the window. */
  #lay(results) {
    const [now, later] = this.at ? [results, []] : [results.slice(0, AT_ONCE), results.slice(AT_ONCE)];
    this.results.reset(now);
    const { answer } = this;
    const rest = () => {
      if (answer !== this.answer || !this.results.count) return; // there is a newer one
      if (later.length) this.results.append(later);
      this.results.recheck();
    };
    requestAnimationFrame(() => whenIdle(rest));
  }

  async #more() {
    if (!this.next || this.asking) return;
    this.asking = true;
    this.results.node.setAttribute("aria-busy", "true");
    const after = this.next;
    try {
      const answer = await this.further.ask((signal) => post("search", { ...this.#question(), limit: this.results.count > PAGE ? LARGE : PAGE, after }, signal));
      if (answer && after === this.next) {
        this.next = answer.truncated ? answer.next : "";
        this.results.append(answer.results);
      }
    } catch (error) {
      fill(this.results.end, problem(error, () => this.#more()));
    }
    this.results.node.setAttribute("aria-busy", "false");
    this.asking = false;
    this.results.recheck();
  }

  #nothing() {
    this.latest.drop();
    this.next = "";
    this.results.reset([]);
    fill(this.said);
    fill(this.state, begun(this.project));
  }

  #none() {
    const filtered = Object.keys(this.filters.chosen).length > 0;
    const ways = filtered ? "Take a filter away, or use other words." : "Use other words, fewer of them, or search by another way.";
    if (this.held && !this.held.files) return unfilled(this.app, this.project);
    if (this.answer.freshness.dropped) return empty("Nothing was found in what is there now", h("p", {}, "What the index knows of it stands in files that are changed or gone since. Ask again in a moment."));
    return empty(this.answer.cut.length ? "Nothing was found so far" : "Nothing was found", h("p", {}, ways));
  }

  #refused(error) {
    if (error instanceof Away) return fill(this.state, problem(error, () => this.#ask(this.at))); // what is shown stays
    this.next = "";
    this.results.reset([]);
    fill(this.said);
    if (lacksWord(error)) return fill(this.state, wordless());
    if (error.status === 422) return fill(this.state, unfinished(error));
    return fill(this.state, problem(error, [403, 404].includes(error.status) ? null : () => this.#ask(this.at)));
  }

  async #offer() {
    try {
      this.held = await get(of(this.project, "health"));
      this.filters.offer(this.held);
      if (!this.held.files && !this.input.value) fill(this.state, unfilled(this.app, this.project));
    } catch {
      // The question itself says what is wrong, if anything is.
    }
  }

  #here() {
    return Number(document.activeElement?.closest?.(".hit")?.dataset.at || this.at);
  }

  #focused(event) {
    const hit = event.target.closest(".hit");
    if (!hit || this.at === Number(hit.dataset.at)) return;
    this.results.node.querySelector("[aria-current]")?.removeAttribute("aria-current");
    hit.setAttribute("aria-current", "true");
    this.at = Number(hit.dataset.at);
    this.#settle();
  }

  #move(place) {
    if (place < 1) {
      this.input.focus();
      scrollTo({ top: 0 });
      return true;
    }
    const hit = this.results.at(place);
    if (!hit) return this.results.count > 0;
    hit.focus({ preventScroll: true });
    hit.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** Open what answers the question; while that is on its way, once it is there: what is shown meanwhile answers another. */
  #enter() {
    const asked = JSON.stringify(this.#question());
    this.opening = asked === this.answered ? "" : asked;
    return this.opening ? true : this.#open(Math.max(1, this.at));
  }

  #open(place) {
    const link = this.results.at(place)?.querySelector(".hit-place");
    if (link) {
      this.at = place;
      this.#settle();
      go(link.getAttribute("href"));
    }
    return true;
  }

  #copy() {
    const result = this.results.result(this.#here() || 1);
    if (result) copyPlace(result.path, result.start_line);
    return true;
  }
}

const limitFor = (at) => (at > FIRST ? Math.min(MOST, at + PAGE) : FIRST);

/** How much there is, and how sure it is. */
function sayings({ total, results, mode, literal, timings, freshness }) {
  if (!results.length) return [];
  const took = Object.values(timings).reduce((sum, value) => sum + (typeof value === "number" ? value : 0), 0);
  const exact = literal.count ? `“${literal.text}” stands there ${many(literal.count, "time")} in ${many(literal.files, "file")}` : "";
  const late = freshness.pending_files ? `${many(freshness.pending_files, "file")} not looked at yet` : "";
  return [
    h("strong", {}, many(total, "result")),
    inertNodes([`by ${MODES[mode] || mode}`, exact, took ? `${took < 10 ? took.toFixed(1) : count(Math.round(took))} ms` : "", late].filter(Boolean).map((one) => ` · ${one}`).join("")),
  ];
}

function weak({ nothing_relevant: nothing, relevance }) {
  if (!nothing) return [];
  return h("div", { class: "notice weak" }, h("p", {}, h("strong", {}, "Nothing here seems to answer that. "), `These are only the nearest (relevance ${Math.round(100 * relevance)} %).`));
}
