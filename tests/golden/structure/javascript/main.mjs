import { Store, open } from './lib/store.js';
import * as codec from './lib/codec.js';

class Cache extends Store {
  put(item) {
    super.put(item);
    return this.check(item);
  }
}

export function run(input) {
  const cache = new Cache('a');
  cache.put(1);
  cache.check(2);
  open('b').put(3);
  codec.encode(4);
  input.put(5);
  function later() {
    run(input);
  }
  later();
}
