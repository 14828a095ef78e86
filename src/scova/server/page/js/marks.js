// Which words of a question are to be marked in what was found, and where they are in a line: whole names, and parts of names as the
// search splits them; never what happens to stand inside another word. Knows no elements.

import { parts, stem, whole, words } from "./stems.js";

const OPERATOR = /(?:^|\s)-?(?:path|lang|language|type|kind|tag|file):(?:"[^"]*"|\S+)/gi;
const MOST = 200; // marks in a line
const LOOKED = 5000; // characters of a line
const ASKING = new Set(
  "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my not of on or our that the their them then there these they this to was we were what when where which who why will with would you your".split(" "),
);

/** What is to be marked of a question; null when nothing can be. Of a regular expression it is a pattern: the words in it, wherever they stand. */
export function marker(query, mode = "hybrid") {
  const asked = query.replace(OPERATOR, " ");
  return mode === "regex" ? inside(asked) : named(asked);
}

function inside(asked) {
  const found = new Set(words(asked).map(({ text }) => text.toLowerCase()).filter((word) => word.length > 1));
  const sorted = [...found].sort((one, other) => other.length - one.length).slice(0, 40);
  return sorted.length ? new RegExp(sorted.join("|"), "giu") : null;
}

/** Names as wholes, stems of their parts, and what stars leave open: beginnings and insides of words. */
function named(asked) {
  const marks = { wholes: new Set(), stems: new Set(), begins: [], holds: [] };
  let before = "";
  for (const { at, text } of words(asked)) {
    const word = whole(text);
    const isCarried = word.length > 1 && !ASKING.has(word);
    if (isCarried && asked[at - 1] === "*") marks.holds.push(word);
    else if (isCarried && asked[at + text.length] === "*") marks.begins.push(word);
    else if (isCarried) add(marks, text, word);
    if (isCarried && before) marks.wholes.add(before + word); // "type adapter" is written `typeadapter` too
    before = isCarried ? word : "";
  }
  return Object.values(marks).some((one) => one.size || one.length) ? marks : null;
}

function add(marks, text, word) {
  marks.wholes.add(word);
  for (const part of parts(text)) {
    if (!ASKING.has(part.text)) marks.stems.add(stem(part.text)); // the `for` of `url_for` is in every loop
  }
}

/** Where in a line something is to be marked: [from, to] pairs, at most 200. */
export const spans = (line, marks) => found(line, marks).map(({ from, to }) => [from, to]);

/** The same with which of the asked terms each says: a whole name says its parts, too. */
function found(line, marks) {
  if (!marks) return [];
  const text = line.slice(0, LOOKED);
  const all = marks instanceof RegExp ? [...text.matchAll(marks)].map(({ 0: match, index }) => ({ from: index, to: index + match.length, terms: [match.toLowerCase()] })) : words(text).flatMap((word) => inWord(word, marks));
  return all.slice(0, MOST);
}

function inWord({ at, text }, { wholes, stems, begins, holds }) {
  const word = whole(text);
  const first = at + text.length - text.replace(/^_+/, "").length;
  const said = parts(text).map((part) => ({ from: at + part.at, to: at + part.at + part.text.length, terms: [stem(part.text)] })).filter(({ terms }) => stems.has(terms[0]));
  const all = [word, ...said.flatMap(({ terms }) => terms)];
  if (wholes.has(word) || begins.some((begin) => word.startsWith(begin))) return [{ from: first, to: first + word.length, terms: all }];
  const held = holds.find((one) => word.includes(one));
  if (held) return [{ from: first + word.indexOf(held), to: first + word.indexOf(held) + held.length, terms: [held] }];
  return said;
}

/** The line from which `most` lines say most of what was asked and `already`, which is shown in any case, does not say: distinct terms
 * count, then how many. Where nothing is new it is the first, with which a definition says what it takes. */
export function bestWindow(lines, marks, most, already = "") {
  if (!marks || lines.length <= most) return 0;
  const known = new Set(found(already, marks).flatMap(({ terms }) => terms));
  const said = lines.map((line) => found(line, marks).flatMap(({ terms }) => terms).filter((term) => !known.has(term)));
  let best = [0, 0];
  for (let from = 0; from + most <= lines.length && from < 2000; from += 1) {
    const terms = said.slice(from, from + most).flat();
    const worth = new Set(terms).size * 100 + terms.length;
    if (worth > best[1]) best = [from, worth];
  }
  return best[0];
}
