// Text of others made inert: what would steer a screen, a terminal or the direction of writing is shown as what it is.
// Knows nothing of where text comes from or goes to. All text of others reaches the page through here, as text nodes only.

// C0 without tab, DEL and C1; soft hyphen; Arabic letter mark; zero width and direction marks; separators; embeddings, overrides
// and isolates; invisible operators; byte order mark; interlinear marks; tags; lone surrogates.
const STEERING =
  /[\u0000-\u0008\u000A-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The visible name of a character that must not act: ⟦U+202E⟧. */
function named(character) {
  return `⟦U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

/** A text in which nothing steers anything; for labels, titles and attributes. */
export function inert(text) {
  return String(text ?? "").replace(STEERING, named);
}

/** Whether a text has something in it that would steer. */
export function steers(text) {
  return String(text ?? "").search(STEERING) >= 0;
}

/** The same as nodes: plain text, and each character that would steer in a span of its own. */
export function inertNodes(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(STEERING)) {
    if (found.index > from) nodes.push(document.createTextNode(text.slice(from, found.index)));
    const span = document.createElement("span");
    span.className = "escaped";
    span.textContent = named(found[0]);
    nodes.push(span);
    from = found.index + found[0].length;
  }
  if (from < text.length) nodes.push(document.createTextNode(from ? text.slice(from) : text));
  return nodes;
}
