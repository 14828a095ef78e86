// Addresses: every state of the page is in the fragment, and back again. Knows no view.
//
//   #/p/PROJECT/search?q=…&mode=…&lang=…&type=…&kind=…&path=…&n=…     #/p/PROJECT/files/FOLDER
//   #/p/PROJECT/file/PATH?line=N[-M]                                  #/p/PROJECT/symbol/NAME?in=PATH&depth=N
//   #/p/PROJECT/build      #/p/PROJECT/health      #/builds           #/

const encoded = (part) => encodeURIComponent(part).replace(/%(3A|40|2C|2B)/gi, decodeURIComponent);

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // someone typed a lone percent sign: it is itself
  }
}

/** The address of a view. `rest` is a path or a name; values of `params` are strings or lists; empty ones are left out. */
export function address(view, project = "", rest = "", params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== "" && one !== null && one !== undefined) query.append(name, one);
    }
  }
  const steps = project ? ["p", project, view] : view ? [view] : [];
  const path = [...steps, ...(rest ? rest.split("/") : [])].map(encoded).join("/");
  return `#/${path}${query.size ? `?${query}` : ""}`;
}

/** What a fragment says: view, project, rest, params. */
export function parsed(fragment) {
  const [path, query = ""] = split(fragment.replace(/^#\/?/, ""), "?");
  const steps = path.split("/").map(decoded);
  const params = new URLSearchParams(query);
  if (steps[0] !== "p") return { view: steps[0], project: "", rest: steps.slice(1).join("/"), params };
  return { view: steps[2] || "search", project: steps[1] || "", rest: steps.slice(3).join("/"), params };
}

function split(text, at) {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** Go somewhere; it becomes a step of the history. */
export function go(to) {
  location.hash = to;
}

/** Say where we are without a step of the history, and without anything being shown anew. */
export function settle(to) {
  if (location.hash !== to) history.replaceState(history.state, "", to);
}
