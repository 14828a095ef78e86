// Keys: those of the whole page, the dialog that lists them, and handing the others to the view that is open.

import { h } from "./dom.js";

const KEYS = [
  ["/", "go to the search box"],
  ["↓ ↑ or j k", "next and previous result"],
  ["Enter", "open the result"],
  ["y", "copy path:line"],
  ["Esc", "back to the question; close this"],
  ["f", "in a file: find in it"],
  ["o", "in a file: its outline"],
  ["c", "in a file: callers and callees of what is at the line"],
  ["[ ]", "at a symbol: fewer or more levels"],
  ["g then s, f, b, h", "go to Search, Files, Build, Health"],
  ["?", "these keys"],
];
const SINGLE = "scova-single-keys";

let enabled = readEnabled();
let pending = 0;

/** Listen; `app` tells which view is open and goes elsewhere. */
export function listen(app) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (taken(event, app)) event.preventDefault();
  });
}

function taken(event, app) {
  const writes = event.target.matches("input, select, textarea");
  const single = event.key.length === 1;
  if (event.key === "?" && enabled && event.target.id === "question" && !event.target.value) return showKeys(); // no question begins so
  if (writes && event.target.id !== "question") return event.key === "Escape" ? leave(event.target) : false;
  if (single && (writes || !enabled || event.target.matches("summary") && event.key === " ")) return false;
  if (pending && single) return app.goTo(ended(event.key));
  if (event.key === "g") return begun();
  if (event.key === "/") return app.toSearch();
  if (event.key === "?") return showKeys();
  return app.key(event);
}

function begun() {
  pending = setTimeout(() => (pending = 0), 1200);
  return true;
}

function ended(key) {
  clearTimeout(pending);
  pending = 0;
  return key;
}

function leave(field) {
  field.blur();
  return true;
}

/** Whether keys of one letter do anything. */
export const keysAreOn = () => enabled;

/** The list of keys, in a dialog. */
export function showKeys() {
  const dialog = document.getElementById("keys");
  if (!dialog.querySelector("table")) dialog.querySelector(".keys-body").append(table(), choice());
  dialog.showModal();
  return true;
}

function table() {
  return h(
    "table",
    {},
    h("caption", { class: "unseen" }, "Keys"),
    h("tbody", {}, KEYS.map(([keys, says]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, keys)), h("td", {}, says)))),
  );
}

function choice() {
  const box = h("input", { type: "checkbox", checked: enabled });
  box.addEventListener("change", () => {
    enabled = box.checked;
    try {
      localStorage.setItem(SINGLE, enabled ? "on" : "off");
    } catch {
      // storage may be switched off: then it lasts as long as the page
    }
  });
  return h("label", { class: "check" }, box, " Keys of one letter are on");
}

function readEnabled() {
  try {
    return localStorage.getItem(SINGLE) !== "off";
  } catch {
    return true;
  }
}
