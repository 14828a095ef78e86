// How places are shown and copied: paths, lines, where a document is from. Knows addresses of this page.

import { h } from "./dom.js";
import { inert, inertNodes, steers } from "./text.js";
import { address } from "./router.js";
import { tell } from "./notices.js";

/** A path with its folders quiet and its name plain. It is a unit of its own for the direction of writing. */
export function pathNodes(path) {
  const cut = path.lastIndexOf("/") + 1;
  return h(
    "bdi",
    { class: "path" },
    cut ? h("span", { class: "folders" }, inertNodes(path.slice(0, cut))) : null,
    h("span", { class: "name" }, inertNodes(path.slice(cut))),
  );
}

export const lineRange = (first, last) => (last && last !== first ? `${first}–${last}` : `${first}`);

export const fileAddress = (project, path, line = "") => address("file", project, path, { line });

export function symbolAddress(project, name, path = "", depth = "") {
  return address("symbol", project, name, { in: path, depth });
}

/** Copy path:line. What would steer a terminal is copied as what it is called. */
export async function copyPlace(path, line) {
  const place = `${steers(path) ? inert(path) : path}:${line}`;
  try {
    await navigator.clipboard.writeText(place);
    tell(`Copied ${place}`);
  } catch {
    tell(`Could not copy; it is ${place}`);
  }
}

/** Where a document is in the world, when a source brought it. */
export function originNode(provenance) {
  if (!provenance) return null;
  const { place, heading, page } = provenance;
  const where = [heading, page ? `page ${page}` : ""].filter(Boolean).join(", ");
  const link = /^https?:\/\//i.test(place) && !steers(place);
  return h(
    "span",
    { class: "origin" },
    link
      ? h("a", { href: place, rel: "noopener noreferrer external", target: "_blank" }, place)
      : h("bdi", {}, inertNodes(place)),
    where && h("bdi", {}, inertNodes(`, ${where}`)),
  );
}
