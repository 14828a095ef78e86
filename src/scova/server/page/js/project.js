// The view Build of one project: sources, how the build stands and what to do about it, jobs as they go.

import { Latest, get, of, post, remove } from "./api.js";
import { button, fill, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { ago, many } from "./format.js";
import { JobCard, isOver } from "./job.js";
import { sourceForm, sourceList } from "./sources.js";
import { announce, problem, sentence, tell, waiting } from "./notices.js";
import { isFolder, pushCommand } from "./unfilled.js";

const JOBS = 20;
const EVERY = 2000; // milliseconds between two looks at how the build stands

export class ProjectView {
  constructor(main, route, app) {
    Object.assign(this, { main, app, project: route.project, latest: new Latest(), cards: new Map() });
    this.mayWrite = app.may("write");
    this.isFolder = isFolder(app, route.project);
    this.said = h("div", {});
    fill(main, waiting());
    app.title("Build");
    this.refresh();
    this.timer = setInterval(() => this.#look(), EVERY);
  }

  close() {
    clearInterval(this.timer);
    this.state = ""; // a look that is under way has nothing to say any more
    this.latest.drop();
    for (const card of this.cards.values()) card.close();
    this.cards.clear();
  }

  async refresh() {
    try {
      const answers = await this.latest.ask((signal) =>
        Promise.all([get(of(this.project, "sources"), {}, signal), get(of(this.project, "build"), {}, signal), get("jobs", { project_id: this.project, limit: JOBS }, signal)]),
      );
      if (answers) this.#draw(...answers);
    } catch (error) {
      fill(this.main, h("h1", { tabindex: "-1" }, "Build ", h("bdi", {}, inertNodes(this.project))), problem(error, () => this.refresh()));
    }
  }

  /** A build goes on a moment after its job was cancelled, and others begin and end builds too: no job says so here. */
  async #look() {
    if (document.hidden || !this.state || [...this.cards.values()].some(({ job }) => !isOver(job))) return;
    const seen = this.state;
    const { state } = await get(of(this.project, "build")).catch(() => ({ state: seen }));
    if (this.state === seen && state !== seen) await this.refresh();
  }

  #draw({ sources }, build, { jobs }) {
    this.state = build.state;
    const focused = this.main.contains(document.activeElement) ? document.activeElement.id : "";
    fill(
      this.main,
      h("h1", { tabindex: "-1", id: "build-title" }, "Build ", h("bdi", {}, inertNodes(this.project))),
      this.#standing(build, sources),
      this.said,
      h("section", { "aria-labelledby": "title-jobs" }, h("h2", { id: "title-jobs" }, "Jobs"), this.#jobs(jobs)),
      this.isFolder ? null : h("section", { "aria-labelledby": "title-sources" }, h("h2", { id: "title-sources" }, `Sources (${sources.length})`), sourceList(sources, { failures: build.failures, drop: this.mayWrite ? (id) => this.#drop(id) : null }), this.mayWrite ? sourceForm((source) => this.#add(source)) : null),
      this.#pushed(),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  #pushed() {
    if (this.app.session?.local) return null;
    return h("section", { "aria-labelledby": "title-push" }, h("h2", { id: "title-push" }, "Folders"), h("p", {}, "Files of a folder are not fetched but pushed, by whoever has them:"), pushCommand(this.project));
  }

  #standing(build, sources) {
    const going = build.state === "in_progress";
    const { checkpoint } = build;
    return h(
      "section",
      { class: `standing is-${build.state}`, "aria-labelledby": "title-standing" },
      h("h2", { id: "title-standing", class: "unseen" }, "How it stands"),
      h("p", { class: "standing-says" }, this.#says(build, sources)),
      checkpoint ? h("p", {}, `Checkpoint of ${ago(checkpoint.created_at)}: ${many(checkpoint.sources_completed, "source")} done, ${checkpoint.sources_remaining} to go; ${many(checkpoint.chunks_so_far, "chunk")} and ${many(checkpoint.vectors_so_far, "vector")} so far.`) : null,
      build.pending_chunks ? h("p", {}, `${many(build.pending_chunks, "chunk")} wait for a vector.`) : null,
      build.recommendation ? h("p", { class: "quiet" }, inertNodes(sentence(build.recommendation))) : null,
      build.builder && going ? h("p", { class: "quiet" }, "By ", inertNodes(build.builder)) : null,
      this.mayWrite && sources.length && !going ? this.#acts(checkpoint, build) : null,
      this.mayWrite && this.isFolder && !going ? this.#again(build) : null,
      this.mayWrite ? null : h("p", { class: "quiet" }, "Your token may read; building needs one that may write."),
    );
  }

  #says({ state, checkpoint }, sources) {
    if (state === "in_progress") return this.isFolder ? "The folder is being indexed." : "It is being built.";
    if (this.isFolder) return state === "idle" ? "A folder of this machine: what changes in it is followed by itself." : "The folder was not indexed to the end.";
    if (checkpoint) return "The build was stopped on the way.";
    return sources.length ? "No build is under way." : "There are no sources to build.";
  }

  #again({ state }) {
    const next = state === "idle" ? button("Look at all files again", () => this.#build({}), { id: "act-build" }) : button("Resume", () => this.#build({}), { id: "act-build", class: "main" });
    return h("div", { class: "acts" }, next, button("Index everything anew", () => this.#build({ force: true }), { id: "act-force" }));
  }

  #acts(checkpoint, build) {
    const start = (label, wish, id, kind = "") => button(label, () => this.#build(wish), { id, class: kind });
    const all = { whole: true };
    return h(
      "div",
      { class: "acts" },
      checkpoint ? start("Resume", { ...all, resume_from_checkpoint: true, checkpoint_id: checkpoint.checkpoint_id }, "act-resume", "main") : start("Build", all, "act-build", "main"),
      checkpoint ? start("Begin anew", { ...all, resume_from_checkpoint: false }, "act-anew") : null,
      build.failed_sources ? start(`Retry ${many(build.failed_sources, "failed source")}`, { ...all, failed_only: true }, "act-retry") : null,
      checkpoint ? null : start("Fetch all again", { ...all, force: true }, "act-force"),
      button("What would be done?", () => this.#plan(), { id: "act-plan" }),
    );
  }

  #jobs(jobs) {
    for (const card of this.cards.values()) card.close();
    this.cards.clear();
    if (!jobs.length) return h("p", { class: "quiet" }, "None so far. What is done in the background is shown here while it goes on.");
    for (const job of jobs) this.cards.set(job.job_id, new JobCard(job, { mayWrite: this.mayWrite, ended: () => this.refresh() }));
    return h("ul", { class: "jobs" }, [...this.cards.values()].map(({ node }) => node));
  }

  #build(wish) {
    return this.#do(async () => {
      await post(of(this.project, "build"), wish);
      announce("The build has begun");
    });
  }

  async #plan() {
    try {
      const plan = await post(of(this.project, "build"), { dry_run: true });
      const { progress, message } = plan;
      fill(this.said, h("div", { class: "notice", role: "status" }, h("p", {}, `${many(progress.total_sources, "source")} in all, ${progress.remaining} to be built.`), message ? h("p", {}, inertNodes(message)) : null));
    } catch (error) {
      fill(this.said, problem(error));
    }
  }

  #add(source) {
    return this.#do(async () => {
      const { added } = await post(of(this.project, "sources"), { sources: [source] });
      tell(added.length ? "Added; build to fetch it" : "It was there already; its tags and patterns are the new ones now");
    });
  }

  #drop(id) {
    if (!confirm("Remove this source and all it brought?")) return undefined;
    return this.#do(() => remove(of(this.project, `sources/${encodeURIComponent(id)}`)));
  }

  async #do(act) {
    try {
      fill(this.said);
      await act();
      await this.refresh();
      return true;
    } catch (error) {
      fill(this.said, problem(error));
      return false;
    }
  }
}
