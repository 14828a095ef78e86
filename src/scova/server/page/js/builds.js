// The view of all projects: how large each is, how its build stands; making one.

import { Latest, get, of, post } from "./api.js";
import { fill, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { many } from "./format.js";
import { address, go } from "./router.js";
import { announce, command, empty, problem, waiting } from "./notices.js";

const AT_ONCE = 6;
const STATES = { idle: "nothing to do", in_progress: "being built", checkpoint_available: "stopped on the way" };

export class Builds {
  constructor(main, _route, app) {
    Object.assign(this, { main, app, latest: new Latest() });
    fill(main, waiting());
    app.title("Projects");
    this.refresh();
  }

  update() {}

  close() {
    this.latest.drop();
  }

  async refresh() {
    try {
      const found = await this.latest.ask((signal) => get("projects", {}, signal));
      if (!found) return;
      this.#draw(found.projects);
      await this.app.projectsChanged();
    } catch (error) {
      fill(this.main, h("h1", { tabindex: "-1" }, "Projects"), problem(error, () => this.refresh()));
    }
  }

  #draw(names) {
    const cards = new Map(names.map((name) => [name, h("li", { class: "card" }, h("h2", {}, h("a", { href: address("build", name) }, h("bdi", {}, inertNodes(name)))), h("p", { class: "quiet card-facts" }, "…"))]));
    fill(
      this.main,
      h("h1", { tabindex: "-1" }, "Projects"),
      names.length ? h("ul", { class: "cards" }, [...cards.values()]) : this.#none(),
      this.app.may("admin") ? this.#form() : null,
    );
    announce(many(names.length, "project"));
    this.#look(cards);
  }

  #none() {
    return empty("There is no project yet", h("p", {}, "Bring a folder of this machine here; the project is made on the way:"), command(`scova push . --server ${location.origin} --project my-project`), h("p", {}, "Or make one below and give it pages, sitemaps or PDFs to fetch."));
  }

  #form() {
    const input = h("input", { type: "text", id: "new-project", required: true, maxlength: "64", pattern: "[A-Za-z0-9._\\-]+", autocomplete: "off", spellcheck: "false", placeholder: "my-docs" });
    const said = h("div", {});
    const make = async (event) => {
      event.preventDefault();
      try {
        await post("projects", { project_id: input.value.trim() });
        await this.app.projectsChanged();
        go(address("build", input.value.trim()));
      } catch (error) {
        fill(said, problem(error));
      }
    };
    return h("form", { class: "new-project", on: { submit: make } }, h("h2", {}, "A new project"), h("label", { for: "new-project" }, "Name (letters, digits, . _ -)"), h("div", { class: "inline" }, input, h("button", { type: "submit", class: "main" }, "Make it")), said);
  }

  /** Fill in how large each is: a few at a time, so that many projects do not ask all at once. */
  async #look(cards) {
    const left = [...cards];
    const work = async () => {
      for (let next = left.shift(); next; next = left.shift()) await facts(...next).catch(() => {});
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

async function facts(name, card) {
  const one = await get(`projects/${encodeURIComponent(name)}`);
  const build = await get(of(name, "build")).catch(() => null);
  const waits = build?.failed_sources ? `, ${many(build.failed_sources, "source")} failed` : "";
  fill(card.querySelector(".card-facts"), `${many(one.files, "file")}, ${many(one.chunks, "chunk")}`);
  card.append(
    build && build.state !== "idle" ? h("p", {}, h("span", { class: `badge badge-${build.state}` }, STATES[build.state]), waits) : "",
    h("p", { class: "card-links" }, h("a", { href: address("search", name) }, "Search"), h("a", { href: address("build", name) }, "Build"), h("a", { href: address("health", name) }, "Health")),
  );
}
