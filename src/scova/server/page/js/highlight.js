// Colours for code, line by line: splits a line into tokens of a kind. Approximate on purpose: a colour that is wrong hurts nobody,
// a highlighter that is slow or can be led astray does. Every pattern takes time in proportion to the line. Knows no elements.
//
// Kinds: c comment, s string, k word of the language, n number, t type, f what is called, a annotation, h heading, e key; "" for the rest.

import { language } from "./languages.js";

const LONGEST = 2000; // characters of a line that are coloured; minified files have lines of a million
const NUMBER = "\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?)";
const WORD = "[\\p{L}_][\\p{L}\\p{N}_]*";

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const either = (parts) => parts.map(escaped).join("|");
const patterns = new Map();

/** One line as [kind, text] pairs, and the state in which the next line begins. The state of the first line is "". */
function tokens(line, name, state = "") {
  if (name === "markdown") return markdown(line, state);
  const known = language(name);
  if (!known || line.length > LONGEST) return { tokens: [["", line]], state };
  return scanned(line, known, state);
}

/** Lines of one text, coloured one after the other. */
export function highlighted(lines, name, state = "") {
  const rows = [];
  let next = state;
  for (const line of lines) {
    const done = tokens(line, name, next);
    rows.push(done.tokens);
    next = done.state;
  }
  return { rows, state: next };
}

function scanned(line, known, state) {
  const found = [];
  let at = 0;
  let open = state;
  const pattern = patternOf(known);
  while (at < line.length) {
    if (open) {
      const [kind, close, escape] = openerOf(known, open);
      const end = closing(line, close, { from: at, escape });
      push(found, kind, line.slice(at, end < 0 ? line.length : end));
      if (end < 0) return { tokens: found, state: open };
      [at, open] = [end, ""];
      continue;
    }
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match.groups.open) open = match.groups.open;
    push(found, open ? openerOf(known, open)[0] : kindOf(match, { line, known, at }), match[0]);
    at += match[0].length;
  }
  return { tokens: found, state: open };
}

/** The kind, the end and the escape of what begins so. */
function openerOf(known, open) {
  const block = known.block?.find(([begin]) => begin === open);
  if (block) return ["c", block[1], ""];
  const long = known.long.find(([begin]) => begin === open);
  return ["s", long[1], long[2] || (long[0] === "`" ? "\\" : "")];
}

function closing(line, close, { from, escape }) {
  for (let at = from; ; ) {
    const end = line.indexOf(close, at);
    if (end < 0) return -1;
    if (!escape || line[end - 1] !== escape || line[end - 2] === escape) return end + close.length;
    at = end + 1;
  }
}

function kindOf(match, { line, known, at }) {
  const { comment, string, number, sigil, word } = match.groups;
  if (comment) return "c";
  if (string) return known.quoted && /^\s*:/.test(line.slice(at + string.length)) ? "e" : "s";
  if (number) return "n";
  if (sigil) return "a";
  if (word) return kindOfWord(word, { line, known, end: at + word.length, at });
  return "";
}

function kindOfWord(word, { line, known, end, at }) {
  if (known.words.has(known.folded ? word.toLowerCase() : word)) return "k";
  if (known.keys && /^[\w.-]*\s*[=:]/.test(line.slice(end)) && /^[\s\w."-]*$/.test(line.slice(0, at))) return "e";
  if (line[end] === "(") return "f";
  return /^\p{Lu}/u.test(word) ? "t" : "";
}

function patternOf(known) {
  if (!patterns.has(known)) patterns.set(known, new RegExp(sourceOf(known), "uy"));
  return patterns.get(known);
}

function sourceOf(known) {
  const begins = [...(known.block || []), ...(known.long || [])].map(([begin]) => begin);
  const strings = (known.strings || []).map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*(?:${quote}|\\\\?$)`);
  if (known.character) strings.push("'(?:[^'\\\\]|\\\\[^'][^']*|\\\\')'");
  const sigils = [known.sigil && `${escaped(known.sigil)}!?\\[?${WORD}`, known.variable && `${escaped(known.variable)}+[{(]?\\w+`];
  const parts = [
    begins.length && `(?<open>${either(begins)})`,
    known.line && `(?<comment>(?:${either(known.line)}).*)`,
    strings.length ? `(?<string>${strings.join("|")})` : "(?<string>(?!))",
    `(?<number>${NUMBER})`,
    `(?<sigil>${sigils.filter(Boolean).join("|") || "(?!)"})`,
    `(?<word>${WORD})`,
    "\\s+|[^]",
  ];
  if (!begins.length) parts[0] = "(?<open>(?!))";
  if (!known.line) parts[1] = "(?<comment>(?!))";
  return parts.join("|");
}

/** Prose with headings and code between fences, which is coloured in its own language. State: "" or "```LANGUAGE\nSTATE". */
function markdown(line, state) {
  const fence = /^\s*(```+|~~~+)\s*([\w+#.-]*)/.exec(line);
  if (state) {
    if (fence) return { tokens: [["a", line]], state: "" };
    const [head, inner] = state.split("\n");
    const done = tokens(line, head.slice(3), inner);
    return { tokens: done.tokens, state: `${head}\n${done.state}` };
  }
  if (fence) return { tokens: [["a", line]], state: `\`\`\`${fence[2] === "markdown" ? "" : fence[2]}\n` };
  if (/^#{1,6} /.test(line)) return { tokens: [["h", line]], state: "" };
  if (line.length > LONGEST) return { tokens: [["", line]], state: "" };
  const found = [];
  for (const part of line.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]*\]\([^)]*\))/)) {
    push(found, part[0] === "`" && part.length > 1 ? "s" : part.startsWith("**") ? "h" : part[0] === "[" && part.includes("](") ? "f" : "", part);
  }
  return { tokens: found, state: "" };
}

function push(found, kind, text) {
  const last = found.at(-1);
  if (!text) return;
  if (last && last[0] === kind && kind !== "f" && kind !== "t" && kind !== "") last[1] += text;
  else if (last && last[0] === "" && kind === "" && !/^[\p{L}_]/u.test(text) && !/[\p{L}\p{N}_]$/u.test(last[1])) last[1] += text;
  else found.push([kind, text]);
}
