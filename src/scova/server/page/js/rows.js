// A list of rows of one height of which only those near the window exist: twenty thousand lines scroll like fifty.
// Knows nothing of what is in a row.

import { h } from "./dom.js";

const SPARE = 24; // rows kept above and below what is seen

export class Rows {
  /** `build(index)` makes a row; `seen(first, last)` hears which rows are in the window. */
  constructor({ build, seen, height, label }) {
    Object.assign(this, { build, seen, height, count: 0, rows: new Map() });
    this.space = h("div", { class: "rows-space" });
    this.node = h("div", { class: "rows code", tabindex: "0", role: "region", "aria-label": label }, this.space);
    this.node.addEventListener("scroll", () => this.#later(), { passive: true });
    this.resize = new ResizeObserver(() => this.#later());
    this.resize.observe(this.node);
  }

  /** So many rows, the widest of so many characters. */
  size(count, widest) {
    this.count = count;
    this.space.style.height = `${count * this.height}px`;
    this.space.style.minWidth = `${widest + 10}ch`;
    this.#later();
  }

  /** Bring a row into the middle of the window. */
  reach(index) {
    this.node.scrollTop = Math.max(0, index * this.height - this.node.clientHeight / 2 + this.height);
    this.#place();
  }

  /** Bring a row to the top of the window. */
  top(index) {
    this.node.scrollTop = index * this.height;
    this.#place();
  }

  get first() {
    return Math.floor(this.node.scrollTop / this.height);
  }

  get last() {
    return Math.min(this.count - 1, Math.floor((this.node.scrollTop + this.node.clientHeight) / this.height));
  }

  /** Make these rows anew, where they are there. */
  redo(from = 0, to = this.count) {
    for (const [index, row] of this.rows) {
      if (index < from || index >= to) continue;
      row.remove();
      this.rows.delete(index);
    }
    this.#later();
  }

  close() {
    this.resize.disconnect();
    cancelAnimationFrame(this.frame);
  }

  #later() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.#place());
  }

  #place() {
    if (!this.count) return;
    const [low, high] = [Math.max(0, this.first - SPARE), Math.min(this.count, this.last + 1 + SPARE)];
    for (const [index, row] of this.rows) {
      if (index >= low && index < high) continue;
      row.remove();
      this.rows.delete(index);
    }
    const fresh = document.createDocumentFragment();
    for (let index = low; index < high; index += 1) {
      if (this.rows.has(index)) continue;
      const row = this.build(index);
      row.style.top = `${index * this.height}px`;
      this.rows.set(index, row);
      fresh.append(row);
    }
    this.space.append(fresh);
    this.seen(this.first, this.last);
  }
}
