// The text of one file, fetched in blocks as it is looked at, and coloured from one block to the next. Knows the API, no elements.

import { get, of } from "./api.js";
import { highlighted } from "./highlight.js";

const BLOCK = 1000;

export class Pages {
  /** `arrived(from, to)` is called when lines are there (indexes from 0), `old()` when the file has become another. */
  constructor(project, path, { arrived, failed, old }) {
    Object.assign(this, { project, path, arrived, failed, old });
    this.blocks = new Map();
    this.asked = new Map();
    this.widest = 0;
    this.total = 0;
    this.language = "";
  }

  /** Fetch the block of a line; the answer is what the server says of the file. */
  async open(line) {
    const block = Math.floor(Math.max(0, line - 1) / BLOCK);
    const file = await this.#fetch(block, true);
    if (!file.lines.length && block > 0) await this.#fetch(0, false); // a line beyond the end
    return file;
  }

  /** See to it that these lines come. */
  want(first, last) {
    const [low, high] = [Math.floor(first / BLOCK), Math.floor(last / BLOCK)];
    for (const [block, controller] of this.asked) {
      if (block < low - 1 || block > high + 1) controller.abort(); // scrolled past
    }
    for (let block = low; block <= high; block += 1) {
      if (!this.blocks.has(block) && !this.asked.has(block)) this.#fetch(block, false).catch((error) => this.failed(error));
    }
  }

  /** Whether the server has another file by now, or none. */
  async isOld() {
    try {
      return (await get(of(this.project, "file"), { path: this.path, start: 1, end: 1, outline: false })).digest !== this.digest;
    } catch (error) {
      return error.status === 404;
    }
  }

  /** The tokens of a line; null while it is not there. */
  tokens(index) {
    const block = this.blocks.get(Math.floor(index / BLOCK));
    return block ? block.rows[index % BLOCK] || [] : null;
  }

  close() {
    for (const controller of this.asked.values()) controller.abort();
  }

  async #fetch(block, outline) {
    const controller = new AbortController();
    this.asked.set(block, controller);
    try {
      const query = { path: this.path, start: block * BLOCK + 1, end: (block + 1) * BLOCK, outline };
      const file = await get(of(this.project, "file"), query, controller.signal);
      if (this.blocks.size && file.digest !== this.digest) {
        this.old(); // what is shown and what comes are not of one file
        return { lines: [] };
      }
      this.#keep(block, file);
      return file;
    } catch (error) {
      if (controller.signal.aborted) return { lines: [] };
      throw error;
    } finally {
      if (this.asked.get(block) === controller) this.asked.delete(block);
    }
  }

  #keep(block, file) {
    this.digest = file.digest;
    this.total = file.total_lines;
    this.language = file.language;
    for (const line of file.lines) this.widest = Math.max(this.widest, Math.min(line.length, 4000));
    this.blocks.set(block, { lines: file.lines, rows: [], state: null });
    this.#colour(block);
    this.arrived(block * BLOCK, block * BLOCK + file.lines.length);
  }

  /** Colour a block from the end of the one before; what comes after it is coloured anew if it begins otherwise now. */
  #colour(from) {
    for (let block = from; this.blocks.has(block); block += 1) {
      const one = this.blocks.get(block);
      const begin = this.blocks.get(block - 1)?.state || "";
      if (one.state !== null && one.begin === begin) return;
      const done = highlighted(one.lines, this.language, begin);
      Object.assign(one, { rows: done.rows, state: done.state, begin });
      if (block > from) this.arrived(block * BLOCK, block * BLOCK + one.lines.length);
    }
  }
}
