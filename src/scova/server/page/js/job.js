// One job: how far it is, how fast, how long yet; followed live until it is over. Reconnects by itself.

import { events, get, remove } from "./api.js";
import { button, fill, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { ago, count, exactly, many, moment, span } from "./format.js";
import { announce, tell } from "./notices.js";

const OVER = new Set(["done", "partial", "failed", "cancelled"]);
const STAGES = {
  scan: "looking at what is there",
  fetch: "fetching",
  parse: "reading and cutting into chunks",
  text: "writing the index of words",
  embed: "computing vectors",
  vectors: "writing the vectors",
  grams: "writing the index of letters",
  graph: "building the graph over the vectors",
};
const STATES = {
  queued: "waiting for its turn",
  running: "running",
  done: "done",
  partial: "done, but some failed",
  failed: "failed",
  cancelled: "cancelled",
};

export const isOver = (job) => OVER.has(job.status);
export const stateWords = (status) => STATES[status] || status;

export class JobCard {
  /** `ended(job)` is called once when a job that was followed is over. */
  constructor(job, { mayWrite, ended }) {
    Object.assign(this, { job, mayWrite, ended });
    this.node = h("li", { class: "job", "data-job": job.job_id });
    this.closed = new AbortController();
    this.#draw();
    if (!isOver(job)) this.#follow();
  }

  close() {
    this.closed.abort();
  }

  async #follow() {
    const { signal } = this.closed;
    while (!signal.aborted && !isOver(this.job)) {
      let rest = 1;
      try {
        rest = await this.#hear(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error.status === 404) return;
      }
      await new Promise((resolve) => setTimeout(resolve, isOver(this.job) ? 0 : 1000 * rest));
    }
    if (signal.aborted) return;
    announce(`The job is over: ${stateWords(this.job.status)}`);
    this.ended?.(this.job);
  }

  /** Take what comes as events; where too many listen already, how the job is now. Gives the seconds until it is worth trying again. */
  async #hear(signal) {
    let rest = 1;
    try {
      for await (const { data } of events(this.job.job_id, signal)) this.#take(data);
    } catch (error) {
      if (error.status !== 429) throw error;
      rest = error.wait || 5;
    }
    if (!isOver(this.job)) this.#take(await get(`jobs/${this.job.job_id}`, {}, signal));
    return rest;
  }

  #take(job) {
    this.job = job;
    this.#draw();
  }

  #draw() {
    const { job } = this;
    const over = isOver(job);
    this.node.className = `job is-${job.status}`;
    const held = this.node.contains(document.activeElement);
    fill(
      this.node,
      h("div", { class: "job-head" }, h("strong", {}, inertNodes(job.kind)), h("span", { class: `badge badge-${job.status}` }, stateWords(job.status)), h("span", { class: "quiet", title: exactly(job.created_at) }, when(job)), !over && this.mayWrite ? this.#cancel() : null),
      over ? null : this.#progress(),
      h("p", { class: "job-facts" }, inertNodes(facts(job))),
      job.message ? h("p", { class: "job-message" }, inertNodes(job.message)) : null,
      over && job.result?.message !== job.message ? resultOf(job) : null,
    );
    if (held) (this.node.querySelector("button") || this.node).focus?.();
  }

  #cancel() {
    const act = button("Cancel", async () => {
      act.disabled = true;
      try {
        this.#take(await remove(`jobs/${this.job.job_id}`));
        tell("The job is told to stop; what it has done stays");
      } catch (error) {
        tell(error.message);
        act.disabled = false;
      }
    });
    return act;
  }

  #progress() {
    const { job } = this;
    const [done, all] = job.stage === "embed" || job.stage === "vectors" ? [job.vectors_processed, job.vectors_total] : [job.files_processed, job.files_total];
    const share = all ? Math.min(100, Math.round((100 * done) / all)) : null;
    const fill = h("span", { class: share === null ? "progress-fill unknown" : "progress-fill" });
    if (share !== null) fill.style.width = `${share}%`;
    return h("div", { class: "progress", role: "progressbar", "aria-label": "Progress of this step", "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": share }, fill);
  }
}

function when(job) {
  const [from, to] = [moment(job.started_at), moment(job.finished_at)];
  if (from && to) return `${ago(job.finished_at)}, took ${span((to - from) / 1000)}`;
  if (to) return ago(job.finished_at);
  return from ? `begun ${ago(job.started_at)}` : `asked for ${ago(job.created_at)}`;
}

function facts(job) {
  if (isOver(job) && job.result?.sources_processed !== undefined) return brought(job);
  const parts = [];
  if (!isOver(job) && job.stage) parts.push(STAGES[job.stage] || job.stage);
  if (job.files_total) parts.push(`${count(job.files_processed)} of ${many(job.files_total, "document")}`);
  else if (job.files_processed) parts.push(many(job.files_processed, "document"));
  if (job.chunks_processed) parts.push(many(job.chunks_processed, "chunk"));
  if (job.vectors_total) parts.push(`${count(job.vectors_processed)} of ${many(job.vectors_total, "vector")}`);
  if (!isOver(job) && job.rate > 0) parts.push(`${job.rate < 10 ? job.rate.toFixed(1) : count(Math.round(job.rate))} a second`);
  if (!isOver(job) && job.eta_seconds !== null && job.eta_seconds !== undefined) parts.push(`about ${span(job.eta_seconds)} left`);
  if (job.attempts > 1) parts.push(`begun ${many(job.attempts, "time")}`);
  return parts.join(" · ");
}

/** What a build of sources brought, all of them together: while it goes on, it counts one source at a time. */
function brought({ result, attempts }) {
  const parts = [many(result.sources_processed, "source"), `${many(result.chunks_added, "chunk")} added`];
  if (result.vectors_added) parts.push(many(result.vectors_added, "vector"));
  if (attempts > 1) parts.push(`begun ${many(attempts, "time")}`);
  return parts.join(" · ");
}

function resultOf({ result }) {
  if (!result || typeof result.message !== "string" || !result.message) return null;
  return h("p", { class: "job-message" }, inertNodes(result.message));
}
