// Whether the server is there: notices that it went, says so, waits for it, and tells when it is back. Asks /healthz, nothing else.

const SOON = 400;
const LATE = 4000;
const BEAT = 8000; // between two looks while nothing else is asked

class Connection extends EventTarget {
  away = false;
  #timer = 0;

  /** Begin to look now and then, so that a server that went is noticed while nobody asks. */
  watch() {
    this.#later(BEAT);
    document.addEventListener("visibilitychange", () => document.hidden || this.#look());
    addEventListener("online", () => this.#look());
  }

  /** A request got no answer. */
  lost() {
    if (this.away) return;
    this.away = true;
    this.dispatchEvent(new Event("away"));
    this.#later(SOON);
  }

  #later(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(milliseconds), milliseconds);
  }

  async #look(waited = SOON) {
    if (document.hidden && !this.away) return this.#later(BEAT);
    const up = await answers();
    if (up && this.away) {
      this.away = false;
      this.dispatchEvent(new Event("back"));
    } else if (!up && !this.away) {
      this.away = true;
      this.dispatchEvent(new Event("away"));
    }
    return this.#later(up ? BEAT : Math.min(LATE, waited * 1.6));
  }
}

async function answers() {
  try {
    const answer = await fetch("healthz", { cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(5000) });
    return answer.ok;
  } catch {
    return false;
  }
}

export const connection = new Connection();
