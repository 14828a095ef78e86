// The view of a project that is not there: says so at once, whatever was to be shown of it, and offers those there are.

import { fill, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { address } from "./router.js";
import { announce, problem, waiting } from "./notices.js";

const OFFERED = 12;

export class Absent {
  constructor(main, route, app) {
    Object.assign(this, { main, app, project: route.project });
    fill(main, waiting());
    this.refresh();
  }

  close() {
    this.closed = true;
  }

  /** It may have been made since the page was opened: ask once more before it is said to be missing. */
  async refresh() {
    try {
      await this.app.projectsChanged();
      if (this.closed) return;
      if (this.app.projects.includes(this.project)) this.app.reopen();
      else this.#draw();
    } catch (error) {
      if (!this.closed) fill(this.main, problem(error, () => this.refresh()));
    }
  }

  #draw() {
    const { session, projects } = this.app;
    this.app.title("No such project");
    fill(
      this.main,
      h("h1", { tabindex: "-1", class: "unseen" }, "No such project"),
      h(
        "div",
        { class: "notice problem", role: "alert" },
        h("p", { class: "notice-title" }, "There is no project ", h("bdi", {}, inertNodes(this.project)), session?.auth ? " here, or your token is not for it." : " here."),
        projects.length ? [h("p", {}, "There are:"), this.#offered()] : h("p", {}, "There is none yet. ", h("a", { href: address("builds") }, "All projects")),
      ),
    );
    announce("There is no such project");
  }

  #offered() {
    const { projects } = this.app;
    return h(
      "ul",
      { class: "examples" },
      projects.slice(0, OFFERED).map((name) => h("li", {}, h("a", { href: address("search", name) }, h("bdi", {}, inertNodes(name))))),
      projects.length > OFFERED ? h("li", {}, h("a", { href: address("builds") }, `All ${projects.length}`)) : null,
    );
  }
}
