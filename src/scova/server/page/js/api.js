// The HTTP API of the server that brought this page: calls, refusals, streams. The only module that makes requests.
// The token lives in sessionStorage and in the header of a request; never in an address.

import { connection } from "./connection.js";

const TOKEN = "scova-token";
const PATIENCE = 3; // times a call that may be repeated is put off by a busy server

/** A refusal by the server, in its words. */
export class Refused extends Error {
  constructor(status, said, wait = 0) {
    super(said.error || `the server answered ${status}`);
    this.status = status;
    this.hint = said.hint || "";
    this.wait = wait;
  }
}

/** The server did not answer at all. */
export class Away extends Error {}

let onUnknown = () => {};

/** Who is told when the server does not know the token. */
export function whenUnknown(act) {
  onUnknown = act;
}

export const token = {
  get: () => sessionStorage.getItem(TOKEN) || "",
  set: (value) => sessionStorage.setItem(TOKEN, value),
  forget: () => sessionStorage.removeItem(TOKEN),
};

export const get = (route, query = {}, signal = undefined) => call("GET", route, { query, signal });
export const post = (route, body, signal = undefined) => call("POST", route, { body, signal });
export const remove = (route, signal = undefined) => call("DELETE", route, { signal });

/** The route of a project's own things. */
export const of = (project, rest) => `projects/${encodeURIComponent(project)}/${rest}`;

async function call(method, route, { query = {}, body, signal }) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(method, route, { query, body, signal });
    } catch (error) {
      const busy = error instanceof Refused && (error.status === 503 || error.status === 429);
      if (!busy || tries >= PATIENCE || method === "DELETE") throw error;
      await pause(Math.min(error.wait || 1, 5) * 1000, signal);
    }
  }
}

async function once(method, route, { query, body, signal }) {
  const answer = await asked(method, route, { query, body, signal });
  const said = await read(answer, signal);
  if (answer.ok) return said;
  throw refusal(answer, said);
}

function refusal(answer, said) {
  if (answer.status === 401) onUnknown();
  return new Refused(answer.status, said, Number(answer.headers.get("retry-after")) || 0);
}

async function asked(method, route, { query = {}, body, signal, accept = "application/json" }) {
  const words = new URLSearchParams(query);
  const headers = { accept };
  if (token.get()) headers.authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const init = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  try {
    return await fetch(words.size ? `${route}?${words}` : route, {
      ...init,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    throw gone(error, signal);
  }
}

async function read(answer, signal) {
  try {
    return JSON.parse(await answer.text());
  } catch (error) {
    if (error instanceof SyntaxError) return { error: `the server answered ${answer.status} without JSON` };
    throw gone(error, signal);
  }
}

function gone(error, signal) {
  if (signal?.aborted) return error;
  connection.lost();
  return new Away("the server does not answer");
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** The events of a job, as they come: {event, data}. Ends when the stream does. */
export async function* events(job, signal) {
  const answer = await asked("GET", `jobs/${encodeURIComponent(job)}/events`, { signal, accept: "text/event-stream" });
  if (!answer.ok) throw refusal(answer, await read(answer, signal));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) yield event(block);
    }
  } catch (error) {
    throw gone(error, signal);
  } finally {
    reader.cancel().catch(() => {});
  }
}

function event(block) {
  const fields = { event: "message", data: "" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).trimStart();
  }
  return { event: fields.event, data: JSON.parse(fields.data || "{}") };
}

/** Only the newest question counts: asking again drops the one before, whose answer never arrives. */
export class Latest {
  #controller = null;

  /** What `ask(signal)` gives; null when a newer question took its place. */
  async ask(ask) {
    this.drop();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const answer = await ask(controller.signal);
      return controller.signal.aborted ? null : answer;
    } catch (error) {
      if (controller.signal.aborted) return null;
      throw error;
    }
  }

  drop() {
    this.#controller?.abort();
  }
}
