// The view Files: folders of a project, one at a time. The server lists files; folders are made of their paths here.

import { Latest, post } from "./api.js";
import { fill, h } from "./dom.js";
import { inertNodes } from "./text.js";
import { count, many } from "./format.js";
import { address } from "./router.js";
import { announce, empty, problem, waiting } from "./notices.js";
import { unfilled } from "./unfilled.js";

const MOST = 1000000; // files that the server lists at once: folders are counted right when all are there
const SHOWN = 2000; // entries of one folder

/** A path as links to its folders; the last step is where one is. */
export function crumbs(project, path, { isFolder = false } = {}) {
  const steps = path ? path.split("/") : [];
  const nodes = [h("a", { href: address("files", project) }, h("bdi", {}, inertNodes(project)))];
  steps.forEach((step, index) => {
    const isLast = index === steps.length - 1;
    const name = h("bdi", {}, inertNodes(step));
    nodes.push(h("span", { class: "slash", "aria-hidden": "true" }, "/"));
    nodes.push(isLast ? h("span", { class: "name" }, name) : h("a", { href: address("files", project, steps.slice(0, index + 1).join("/")) }, name));
  });
  return h("span", { class: "crumbs" }, nodes, isFolder && steps.length ? h("span", { class: "slash", "aria-hidden": "true" }, "/") : null);
}

export class Files {
  constructor(main, route, app) {
    Object.assign(this, { main, app, project: route.project, latest: new Latest() });
    this.update(route);
  }

  update({ rest }) {
    this.folder = rest.replace(/\/+$/, "");
    this.app.title(this.folder || "Files");
    fill(this.main, waiting());
    this.refresh();
  }

  close() {
    this.latest.drop();
  }

  key(event) {
    const links = [...this.main.querySelectorAll(".folder-list a")];
    const at = links.indexOf(document.activeElement);
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return false;
    links[event.key === "ArrowDown" ? at + 1 : Math.max(0, at - 1)]?.focus();
    return links.length > 0;
  }

  async refresh() {
    const question = { project_id: this.project, paths: this.folder ? [`${escaped(this.folder)}/**`] : [], limit: MOST };
    try {
      const answer = await this.latest.ask((signal) => post("files", question, signal));
      if (answer) this.#draw(answer);
    } catch (error) {
      fill(this.main, this.#heading(), problem(error, () => this.refresh()));
    }
  }

  #heading() {
    return h("h1", { tabindex: "-1" }, crumbs(this.project, this.folder, { isFolder: true }));
  }

  #draw({ files, total, truncated }) {
    const { folders, own } = arranged(files, this.folder);
    const items = [...folders].map(([name, number]) => this.#folder(name, number)).concat(own.map((file) => this.#file(file)));
    fill(
      this.main,
      this.#heading(),
      total ? h("p", { class: "facts" }, many(total, "file")) : this.#none(),
      h("ul", { class: "folder-list" }, items.slice(0, SHOWN)),
      truncated ? h("p", { class: "quiet" }, `Only the first ${many(files.length, "file")} by path are counted here: there are more, and perhaps more folders.`) : null,
      items.length > SHOWN ? h("p", { class: "quiet" }, `The first ${count(SHOWN)} of ${count(items.length)} are shown: search with a path filter finds the rest.`) : null,
    );
    announce(`${many(total, "file")} here`);
  }

  #none() {
    if (this.folder) return empty("There is nothing in this folder", h("p", {}, h("a", { href: address("files", this.project) }, "All files of the project")));
    return unfilled(this.app, this.project);
  }

  #folder(name, number) {
    const to = address("files", this.project, this.folder ? `${this.folder}/${name}` : name);
    return h("li", {}, h("a", { href: to, class: "is-folder" }, h("bdi", {}, inertNodes(name)), "/"), h("span", { class: "quiet" }, many(number, "file")));
  }

  #file({ path, language }) {
    const name = this.folder ? path.slice(this.folder.length + 1) : path;
    return h("li", {}, h("a", { href: address("file", this.project, path) }, h("bdi", {}, inertNodes(name))), h("span", { class: "quiet" }, inertNodes(language)));
  }
}

/** A path as a pattern that means just this path. */
const escaped = (path) => path.replace(/[*?[\]{}\\]|^\s|\s$/g, "[$&]");

/** A file as the filters of a question that mean just this one: a name without a folder would mean all of that name. */
export const onlyFile = (path) => ({ paths: [escaped(path)], not_paths: path.includes("/") ? [] : ["*/**"] });

/** Folders with how many files are below each, and the files right here. */
function arranged(files, folder) {
  const folders = new Map();
  const own = [];
  for (const file of files) {
    const rest = folder ? file.path.slice(folder.length + 1) : file.path;
    const cut = rest.indexOf("/");
    if (cut < 0) own.push(file);
    else folders.set(rest.slice(0, cut), (folders.get(rest.slice(0, cut)) || 0) + 1);
  }
  return { folders, own };
}
