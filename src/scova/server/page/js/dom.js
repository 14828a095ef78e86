// Elements made from names and texts. There is no way here to turn text into markup, and none is to be added.

const SVG = "http://www.w3.org/2000/svg";
const REFUSED = /^(on.+|style|srcdoc|innerhtml|outerhtml)$/i;
const LINK = /^(#|https?:\/\/)/i;

/** An element. Attributes: strings, true (present), false, null, undefined (absent); `on: {event: listener}`. Children: nodes, texts, lists of them. */
export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** An element of a drawing. */
export function s(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (REFUSED.test(key) || (key === "href" && !LINK.test(value))) {
      throw new Error(`refused attribute: ${key}`);
    } else {
      element.setAttribute(key, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Put these in place of whatever an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A button that says what it does. */
export function button(label, act, attributes = {}) {
  return h("button", { type: "button", on: { click: act }, ...attributes }, label);
}

/** Do this when there is nothing more urgent, and soon in any case. */
export function whenIdle(act) {
  if (window.requestIdleCallback) requestIdleCallback(act, { timeout: 250 });
  else setTimeout(act, 60);
}

/** A call that is made once things have been quiet for a while. */
export function afterQuiet(milliseconds, act) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
}
