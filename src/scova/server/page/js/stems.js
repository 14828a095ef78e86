// Words into what the search knows them by: the parts of a name, and what a part shares with its relatives ("parser" and "parsing"
// are "pars"). The same rules as the server's own (tokens.py); a test compares the two. Knows no elements.

const WORD = /[\p{L}\p{N}_]+/gu;
const PART = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const UNSPACED = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/;
const LONGEST = 64; // characters; longer runs are no words
// Each with the fewest letters it must leave. Where one ends another, the longer comes first.
const ENDINGS = "ations:3 ation:3 ators:3 ator:3 ating:3 ated:3 ates:3 ate:4 ions:3 ion:4 ings:3 ing:3 ers:3 er:3 ors:3 or:4 ed:3 ments:3 ment:4 able:4 ible:4".split(" ").map((entry) => [entry.split(":")[0], Number(entry.split(":")[1])]);

/** Every word of a text: {at, text}, as written. */
export const words = (text) => [...text.matchAll(WORD)].map((match) => ({ at: match.index, text: match[0] }));

/** A word as a whole: without underscores at its ends, in lower case. */
export const whole = (word) => word.replace(/^_+|_+$/g, "").toLowerCase();

/** The parts of a word: {at, text}, in lower case; of snake_case, camelCase and borders of digits, those of one letter left out. */
export function parts(word) {
  if (word.length > LONGEST) return [];
  if (/^[\x00-\x7f]*$/.test(word)) {
    return [...word.matchAll(PART)].filter(([part]) => part.length > 1 || word.length === 1).map((match) => ({ at: match.index, text: match[0].toLowerCase() }));
  }
  return [...word.matchAll(/[^_]+/g)].flatMap(({ 0: run, index }) => (UNSPACED.test(run) && run.length > 1 ? pairs(run, index) : [{ at: index, text: run.toLowerCase() }]));
}

function pairs(run, from) {
  return Array.from({ length: run.length - 1 }, (_, at) => ({ at: from + at, text: run.slice(at, at + 2).toLowerCase() }));
}

/** What a part in lower case shares with its relatives: always a beginning of it. */
export function stem(part) {
  if (part.length < 4 || !/^[a-z]+$/.test(part)) return part;
  let word = singular(part);
  const found = ENDINGS.find(([ending, least]) => word.length - ending.length >= least && word.endsWith(ending) && /[aeiouy]/.test(word.slice(0, -ending.length)));
  if (found) word = word.slice(0, -found[0].length);
  if (word.length > 4 && word.at(-1) === word.at(-2) && !"lsz".includes(word.at(-1))) word = word.slice(0, -1);
  return word.length > 3 && "eiy".includes(word.at(-1)) ? word.slice(0, -1) : word;
}

function singular(word) {
  if (word.endsWith("ies") && word.length > 5) return word.slice(0, -3);
  if (/(?:sses|shes|ches|xes|zes)$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}
