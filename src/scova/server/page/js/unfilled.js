// What is said where a project holds nothing yet: how something gets into it. Differs between a server and a folder of one's own.

import { h } from "./dom.js";
import { address } from "./router.js";
import { command, empty } from "./notices.js";

export const isFolder = (app, project) => Boolean(app.session?.local && project === app.session.home);

/** The command that brings a folder to this server. */
export function pushCommand(project) {
  return command(`scova push . --server ${location.origin} --project ${project}`);
}

export function unfilled(app, project) {
  const build = h("a", { href: address("build", project) }, "Build");
  if (isFolder(app, project)) return empty("The index of this folder is still empty", h("p", {}, "It is being made, or there is nothing in the folder that can be searched. See how far it is under ", build, "."));
  if (app.session?.local) return empty("This project holds nothing yet", h("p", {}, "Give it pages, sitemaps or PDFs under ", build, ", or folders with ", h("code", {}, "scova project add"), "."));
  return empty("This project holds nothing yet", h("p", {}, "Push a folder into it:"), pushCommand(project), h("p", {}, "Or add pages, sitemaps and PDFs under ", build, "."));
}
