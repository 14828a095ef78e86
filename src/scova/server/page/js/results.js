// The list of results: pages that are built when they come near the window and taken down when they are far, so that ten thousand
// results cost no more than fifty. Asks for more as one nears the end. Knows results, not how they were asked for.

import { fill, h } from "./dom.js";

const NEAR = "120% 0px";
const PAGE = 25; // results that are built and taken down together
const GUESS = 280; // pixels of a result

export class Results {
  /** `build(result, at)` makes an article; `more()` is called when the end is near. */
  constructor({ build, more }) {
    this.build = build;
    this.node = h("div", { class: "results", role: "feed", "aria-label": "Results", "aria-busy": "false" });
    this.end = h("div", { class: "results-end" });
    this.pages = [];
    this.count = 0;
    this.near = new IntersectionObserver((seen) => seen.forEach((one) => this.#turn(one)), { rootMargin: NEAR });
    this.last = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(), { rootMargin: NEAR });
    this.last.observe(this.end);
  }

  /** Other results in place of these. */
  reset(results) {
    for (const page of this.pages) this.near.unobserve(page.node);
    this.pages = [];
    this.count = 0;
    this.node.replaceChildren();
    this.node.hidden = !results.length;
    if (results.length) this.append(results);
  }

  /** More of them, below. The first page is built at once, the others when they come near. */
  append(results) {
    for (let from = 0; from < results.length; from += PAGE) this.#add(results.slice(from, from + PAGE), from === 0);
  }

  #add(results, isFirst) {
    const page = { node: h("div", { class: "results-page" }), results, first: this.count + 1, built: false };
    this.count += results.length;
    page.node.page = page;
    this.pages.push(page);
    if (isFirst) this.#up(page);
    else page.node.style.minHeight = `${this.#usual() * results.length}px`;
    this.node.append(page.node);
    this.near.observe(page.node);
  }

  /** How high a result usually is, by those on the first page. */
  #usual() {
    const [page] = this.pages;
    return page.built ? page.node.offsetHeight / page.results.length : GUESS;
  }

  /** Look again whether more is needed: the observer only tells of changes. */
  recheck() {
    this.last.unobserve(this.end);
    this.last.observe(this.end);
  }

  /** The article at a place from 1, built if need be; null when it is not loaded. */
  at(place) {
    const page = this.pages.find(({ first, results }) => place >= first && place < first + results.length);
    if (!page) return null;
    this.#up(page);
    return page.node.children[place - page.first];
  }

  result(place) {
    const page = this.pages.find(({ first, results }) => place >= first && place < first + results.length);
    return page ? page.results[place - page.first] : null;
  }

  close() {
    this.near.disconnect();
    this.last.disconnect();
  }

  #turn({ target, isIntersecting }) {
    if (isIntersecting) this.#up(target.page);
    else if (target.page.built && !target.contains(document.activeElement)) this.#down(target.page);
  }

  #up(page) {
    if (page.built) return;
    fill(page.node, page.results.map((result, index) => this.build(result, page.first + index)));
    page.node.style.minHeight = "";
    page.built = true;
  }

  #down(page) {
    page.node.style.minHeight = `${page.node.getBoundingClientRect().height}px`;
    page.node.replaceChildren();
    page.built = false;
  }
}
