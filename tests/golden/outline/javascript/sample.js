import React, { useState } from 'react';
import './style.css';
export { helper } from './helper.js';
const fs = require('fs');
const { join, resolve } = require('path');

/** How many.
 *  At most.
 */
export const LIMIT = 10, OTHER = 20;
let counter = 0;
var legacy;

// A comment with a rule
// ---------------------
export default async function* load(path, { deep = true } = {}) {
  const local = join(path, 'x');
  for await (const part of fs.promises.opendir(local)) yield part;
  function inner() { return resolve(local); }
  const arrow = (x) => inner(x);
}

export const double = (x) => x * 2;
const first = function named() {}, second = () => first();

// eslint-disable-next-line no-unused-vars
class Store extends mixin(Base, Other) {
  static #count = 0;
  name = 'x';
  handle = async (event) => { event.stop(); };

  constructor(name) {
    super(name);
    this.run = () => this.handle();
  }

  /** Size of it. */
  get size() { return Store.#count; }
  static create(...names) { return new Store(names); }
  'quoted name'() {}
  async *[Symbol.iterator]() {}
  #secret() { this.#secret?.(); }
}

const Anonymous = class extends lib.Base {
  work() {}
};

const api = {
  get(url) { return fetch(url).then((r) => r.json()); },
  post: function (url) { axios.post(url)`tagged`; },
  put: (url) => new lib.Request(url),
  nested: { deep() {} },
};

module.exports.exported = function (a) {};
exports.short = () => 1;
Store.prototype.old = function old() {};
Store.make = () => new Store();

export function View({ items }) {
  const [open, setOpen] = useState(false);
  return <Panel.Body open={open}><Item key="1" /><div onClick={() => setOpen(true)}>x</div></Panel.Body>;
}

import * as tools from './tools.js'
import {first as second} from './tools.js'
export {third, fourth as fifth} from './more.js'
export * from './all.js'
export * as some from './some.js'
const {one, two: deux} = require('./numbers'), three = require('./numbers').three
const lazy = await import('./lazy.js')

class Bound {
  #queue = new Queue()
  held = new tools.Held()
  constructor () {
    this.client = new Client()
    const local = new Local()
    local.next = new Next()
    return helper(local)
  }
}

jQuery.fn.hide = function () { return helper() }
