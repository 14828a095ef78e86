// Which words of a question are to be marked in what was found, and where they are in a line. The server says what matched;
// this only shows it, so it is generous with endings and looks into compound names. Knows no elements.

const OPERATOR = /(?:^|\s)-?(?:path|lang|language|type|kind|tag|file):(?:"[^"]*"|\S+)/gi;
const ENDING = /(?:ations?|ings?|ions?|ers?|ors?|ies|ed|es|s|e)$/;
const ASKING = new Set(
  "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my not of on or our that the their them then there these they this to was we were what when where which who why will with would you your".split(" "),
);

/** A pattern for the words of a question; null when nothing can be marked. */
export function marker(query, mode = "hybrid") {
  const found = new Set();
  for (const word of query.replace(OPERATOR, " ").match(/[\p{L}\p{N}_]+/gu) || []) {
    const lower = word.toLowerCase();
    if (lower.length < 2 || (mode !== "regex" && ASKING.has(lower))) continue;
    for (const part of mode === "regex" ? [lower] : parts(word)) found.add(part);
  }
  const sorted = [...found].sort((one, other) => other.length - one.length).slice(0, 40);
  return sorted.length ? new RegExp(sorted.join("|"), "giu") : null;
}

/** A word, and what it is made of: camelCase and snake_case pieces of at least three letters, without their endings. */
function parts(word) {
  const pieces = word.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter((piece) => piece.length > 2);
  return [word, ...(pieces.length > 1 ? pieces : [])].map((piece) => stem(piece.toLowerCase()));
}

function stem(word) {
  const short = word.replace(ENDING, "");
  return word.length > 4 && short.length > 3 ? short : word;
}

/** Where the pattern is found in a line: [from, to] pairs, at most 200; with the endings of words, unless just what is found counts. */
export function spans(line, pattern, { exact = false } = {}) {
  if (!pattern) return [];
  const found = [];
  pattern.lastIndex = 0;
  for (const match of line.slice(0, 5000).matchAll(pattern)) {
    const end = match.index + match[0].length;
    found.push([match.index, exact ? end : wordEnd(line, end)]);
    if (found.length >= 200) break;
  }
  return found;
}

/** The end of the word of which a part was found: an ending belongs to it, the next word of a compound name does not. */
function wordEnd(line, from) {
  let at = from;
  while (at < line.length && at - from < 6 && /\p{Ll}/u.test(line[at])) at += 1;
  return at < line.length && /\p{Ll}/u.test(line[at]) ? from : at;
}

/** The line from which `most` lines say most of what was asked: distinct words count, then how many. */
export function bestWindow(lines, pattern, most) {
  if (!pattern || lines.length <= most) return 0;
  const said = lines.map((line) => spans(line, pattern).map(([from, to]) => line.slice(from, to).toLowerCase()));
  let best = [0, 0];
  for (let from = 0; from + most <= lines.length && from < 2000; from += 1) {
    const words = said.slice(from, from + most).flat();
    const worth = new Set(words).size * 100 + words.length;
    if (worth > best[1]) best = [from, worth];
  }
  return best[0];
}
