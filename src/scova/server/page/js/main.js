// The page as a whole: who is here, which project, which view; what happens when the server goes and comes back. Composes the parts.

import { get, token, whenUnknown } from "./api.js";
import { connection } from "./connection.js";
import { button, fill, h } from "./dom.js";
import { inert } from "./text.js";
import { address, go, parsed, settle } from "./router.js";
import { listen, showKeys } from "./keys.js";
import { empty, problem, waiting } from "./notices.js";
import { Login } from "./login.js";
import { Search } from "./search.js";
import { Files } from "./files.js";
import { FileView } from "./file.js";
import { SymbolView } from "./symbol.js";
import { Builds } from "./builds.js";
import { ProjectView } from "./project.js";
import { Health } from "./health.js";
import { Absent } from "./absent.js";

const VIEWS = { search: Search, files: Files, file: FileView, symbol: SymbolView, build: ProjectView, health: Health };
const NAV = { search: "search", files: "files", file: "files", symbol: "files", build: "build", builds: "build", health: "health" };
const GO = { s: "search", f: "files", b: "build", h: "health" };
const LAST = "scova-project";
const byId = (id) => document.getElementById(id);

class App {
  session = null;
  projects = [];
  view = null;
  shown = {};
  #checked = 0;
  #steps = 0;

  async start() {
    whenUnknown(() => this.session && this.#login(true));
    connection.addEventListener("away", () => this.#banner("The server does not answer. What is shown stays; trying again …"));
    connection.addEventListener("back", () => this.#back());
    connection.watch();
    listen(this);
    addEventListener("hashchange", () => {
      this.#steps += 1;
      this.show();
    });
    byId("project").addEventListener("change", (event) => this.#choose(event.target.value));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault(); // the fragment is the address of a view
      byId("main").focus();
    });
    byId("help").addEventListener("click", () => showKeys());
    byId("leave").addEventListener("click", () => this.#leave());
    fill(byId("main"), waiting());
    await this.#enter();
  }

  /** Whether the token may do this: "read", "write", "admin". */
  may(scope) {
    return !this.session?.auth || (this.session.token?.scopes || []).includes(scope);
  }

  /** Show what the address says. */
  show() {
    if (!this.session) return;
    const route = parsed(location.hash);
    if (!route.view) return this.#home();
    const same = this.view && route.view === this.shown.view && route.project === this.shown.project && this.view.update;
    const isFirst = !this.view;
    if (same && this.view.takes?.(route) !== false) {
      this.shown = route;
      this.view.update(route);
    } else {
      this.#open(route, isFirst);
    }
    this.#shell(route);
  }

  title(text) {
    document.title = [inert(text), this.shown.project, "scova"].filter(Boolean).join(" · ");
  }

  key(event) {
    return this.view?.key?.(event) || false;
  }

  goTo(key) {
    const project = this.#current();
    if (GO[key] && project) go(address(GO[key], project));
    return true;
  }

  toSearch() {
    if (this.view instanceof Search) this.view.focus(true);
    else if (this.#current()) go(address("search", this.#current()));
    return true;
  }

  /** To where one came from; who came by a link from elsewhere stays on the page. */
  back() {
    if (this.#steps > 0) history.back();
    else go(address("search", this.shown.project));
    return true;
  }

  /** The projects may have changed: ask again. */
  async projectsChanged() {
    this.projects = (await get("projects")).projects;
    this.#shell(this.shown);
  }

  /** Show the same place once more, from the beginning. */
  reopen() {
    this.#open(parsed(location.hash), false);
    this.#shell(this.shown);
  }

  async #enter() {
    try {
      this.session = await get("session");
      this.projects = (await get("projects")).projects;
      this.show();
    } catch (error) {
      if (error.status === 401) this.#login(Boolean(token.get()));
      else fill(byId("main"), problem(error, () => this.#enter()));
    }
  }

  #login(wrong) {
    token.forget();
    this.session = null;
    this.view?.close();
    document.title = "Sign in · scova";
    document.body.dataset.view = "login";
    this.view = new Login(byId("main"), { wrong, entered: () => this.#entered() });
  }

  async #entered() {
    this.view = null;
    await this.#enter();
  }

  #leave() {
    token.forget();
    location.reload();
  }

  #open(route, isFirst) {
    this.view?.close();
    this.shown = route;
    const main = byId("main");
    document.body.dataset.view = route.view;
    scrollTo({ top: 0 });
    try {
      this.view = this.#made(main, route);
    } catch (error) {
      this.view = null;
      fill(main, problem(error));
    }
    this.#remember(route.project);
    if (route.view === "search" && (isFirst || !route.params.get("n"))) this.view?.focus?.();
    else if (!isFirst) main.querySelector("h1")?.focus({ preventScroll: true });
  }

  #made(main, route) {
    this.title(route.view.charAt(0).toUpperCase() + route.view.slice(1));
    if (route.view === "builds") return new Builds(main, route, this);
    const View = Object.hasOwn(VIEWS, route.view) ? VIEWS[route.view] : null;
    if (View && route.project && !this.projects.includes(route.project)) return new Absent(main, route, this);
    if (View && route.project) return new View(main, route, this);
    fill(main, empty("There is no such place on this page", h("p", {}, h("a", { href: "#/" }, "To the beginning"))));
    return null;
  }

  #home() {
    const last = this.session.home || this.#last(); // a page of a folder opens on it
    settle(last ? address("search", last) : address("builds"));
    this.show();
  }

  #last() {
    let last = "";
    try {
      last = localStorage.getItem(LAST) || "";
    } catch {
      // storage may be switched off
    }
    const home = this.session?.home;
    return [last, home].find((name) => this.projects.includes(name)) || this.projects[0] || "";
  }

  /** The project that is looked at; where that is none, the last one. */
  #current() {
    return this.projects.includes(this.shown.project) ? this.shown.project : this.#last();
  }

  #remember(project) {
    try {
      if (this.projects.includes(project)) localStorage.setItem(LAST, project);
    } catch {
      // storage may be switched off
    }
  }

  #choose(project) {
    const view = this.shown.project && ["search", "files", "build", "health"].includes(this.shown.view) ? this.shown.view : "search";
    go(project ? address(view, project) : address("builds"));
  }

  /** What stands above every view: the project, the ways to the others. */
  #shell(route) {
    const { projects: names } = this;
    const project = names.includes(route.project) ? route.project : this.#last();
    fill(byId("project"), names.map((name) => h("option", { value: name, selected: name === project }, inert(name))), h("option", { value: "" }, names.length ? "All projects …" : "No project yet"));
    byId("project").value = names.includes(route.project) ? route.project : "";
    for (const link of document.querySelectorAll("nav a[data-view]")) {
      const view = link.dataset.view;
      link.href = project ? address(view, project) : address("builds");
      if (NAV[route.view] === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    byId("leave").hidden = !this.session?.auth;
  }

  #banner(text, ...more) {
    fill(byId("banner"), h("p", {}, text, ...more));
  }

  async #back() {
    const before = this.session?.version;
    this.#banner("The server is back.");
    clearTimeout(this.#checked);
    this.#checked = setTimeout(() => fill(byId("banner")), 3000);
    if (!this.session) return this.view ? undefined : this.#enter();
    try {
      const now = await get("session");
      this.session = now;
      if (before && now.version !== before) {
        clearTimeout(this.#checked);
        this.#banner(`The server is now scova ${inert(now.version)}. `, button("Load the page anew", () => location.reload()));
      }
      this.view?.refresh?.();
    } catch {
      // a wrong token leads to the login, and silence to the next round
    }
    return undefined;
  }
}

new App().start();
