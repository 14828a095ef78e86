'use strict';
const { encode } = require('./codec');

class Store {
  constructor(path) {
    this.path = path;
  }
  put(item) {
    this.check(item);
    return encode(item);
  }
  check(item) {
    return Boolean(item);
  }
}

function open(path) {
  return new Store(path);
}

module.exports = { Store, open };
