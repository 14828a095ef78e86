// The view Login: asks for a token and tries it. The token is kept for this tab only.

import { get, token } from "./api.js";
import { fill, h } from "./dom.js";
import { problem } from "./notices.js";

export class Login {
  constructor(main, { entered, wrong }) {
    this.entered = entered;
    this.said = h("div", {});
    this.input = h("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "token-help" });
    const form = h(
      "form",
      { class: "login", on: { submit: (event) => this.#try(event) } },
      h("h1", { tabindex: "-1" }, "Sign in"),
      h("p", { id: "token-help" }, "This server asks for a token. Whoever runs it makes one with ", h("code", {}, "scova token create"), ". It is kept until this tab is closed."),
      h("label", { for: "token" }, "Token"),
      this.input,
      this.said,
      h("p", {}, h("button", { type: "submit", class: "main" }, "Sign in")),
    );
    fill(main, form);
    if (wrong) this.#wrong();
    this.input.focus();
  }

  async #try(event) {
    event.preventDefault();
    const given = this.input.value.trim();
    if (!/^[\x21-\x7E]+$/.test(given)) return this.#wrong(); // no header could carry it
    token.set(given);
    try {
      await get("session");
      this.entered();
    } catch (error) {
      token.forget();
      if (error.status === 401) this.#wrong();
      else fill(this.said, problem(error));
      this.input.select();
    }
    return undefined;
  }

  #wrong() {
    fill(this.said, h("p", { class: "notice problem", role: "alert" }, "The server does not know that token, or it was revoked. Check that all of it was copied."));
  }

  update() {}
  refresh() {}
  close() {}
  key() {
    return false;
  }
}
