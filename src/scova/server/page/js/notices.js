// What is said beside the views: a short note, the count for those who listen, a problem in full, and that there is nothing.

import { afterQuiet, button, fill, h } from "./dom.js";
import { inert, inertNodes } from "./text.js";
import { Away, Refused } from "./api.js";

const COMMAND = /\bscova (search|grep|status)\b/; // of what this page does itself
const ROUTE = /\b(GET|POST|DELETE) \//;
const note = () => document.getElementById("note");
const live = () => document.getElementById("live");
const hush = afterQuiet(4000, () => fill(note()));

/** A short note that goes by itself. */
export function tell(text) {
  fill(note(), h("span", {}, inertNodes(text)));
  hush();
}

/** Say something to those who listen, once things are quiet: not at every key. */
export const announce = afterQuiet(600, (text) => {
  live().textContent = inert(text);
});

/** What answers lack because their questions had to end, in the server's words; nothing where they are whole. */
export function lacking(...answers) {
  const said = [...new Set(answers.flatMap(({ cut }) => cut))];
  return said.length ? h("div", { class: "notice weak" }, said.map((sentence) => h("p", {}, inertNodes(sentence)))) : [];
}

/** A problem, in the server's words, with what to do. */
export function problem(error, again = null) {
  const known = error instanceof Refused || error instanceof Away;
  if (!known) console.error(error);
  return h("div", { class: "notice problem", role: "alert" }, words(error, known ? error.message : `this page has a fault: ${error.message}`), again ? h("p", {}, button("Try again", again)) : null);
}

/** The same of something that one is still typing: no alarm, it is likely to be finished with the next keys. */
export function unfinished(error) {
  announce(error.message.split("\n")[0]);
  return h("div", { class: "notice weak" }, words(error, error.message));
}

/** What went wrong and what to do. Lines below the first show a place in what was typed; hints for programs and for the command line are left out. */
function words(error, message) {
  const [title, ...shown] = message.split("\n");
  const hint = error instanceof Away ? "It is being looked for; this goes on by itself." : forPeople(error.hint || "");
  return [
    h("p", { class: "notice-title" }, inertNodes(sentence(title))),
    shown.length ? h("pre", { class: "notice-shown", tabindex: "0", role: "group", "aria-label": "the place" }, inertNodes(shown[0]), shown.slice(1).map((line) => ["\n", inertNodes(line)])) : null,
    hint ? h("p", {}, inertNodes(sentence(hint))) : null,
  ];
}

/** What of a hint can be done on this page. */
function forPeople(hint) {
  return ROUTE.test(hint) ? "" : hint.split("; ").filter((clause) => !COMMAND.test(clause)).join("; ");
}

/** A clause of the server's as a sentence. */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

/** That there is nothing, and what to do about it. */
export function empty(title, ...says) {
  return h("div", { class: "notice empty" }, h("p", { class: "notice-title" }, title), ...says);
}

/** A command to be typed elsewhere. */
export function command(text) {
  return h("pre", { class: "command", tabindex: "0", "aria-label": "command" }, h("code", {}, inertNodes(text)));
}

/** While something is on its way; shown only when that takes a while. */
export function waiting(what = "Loading") {
  return h("p", { class: "waiting" }, `${what} …`);
}
