import type { Request } from 'express';
import fs = require('fs');
export * from './other';

/** Where it listens. */
export const PORT: number = 8080;
declare const VERSION: string;
export type Handler<T> = (request: Request, value: T) => Promise<void>;
type Pair = { left: string; right(): void };

// Keeps users.
@Injectable({ scope: 'app' })
export abstract class Users<T extends object> extends Base<T> implements OnInit, ns.Reader<T> {
  @Input() private readonly name: string = 'x';
  static #count = 0;
  declare optional?: number;

  constructor(private readonly store: Store<T>, @Inject(TOKEN) token: string) {
    super();
  }

  /**
   * Finds one.
   * @param id which
   */
  @Get('/:id')
  @Roles('admin')
  async find<K extends keyof T>(id: string, key?: K): Promise<T | undefined> {
    const local = await this.store.get<T>(id);
    return local!;
  }

  over(x: string): void;
  over(x: number): void;
  over(x: any): void { this.onChange?.(x); }
  protected abstract area(): number;
  onChange = (x: unknown): void => { log(x); };
  set value(v: T) {}
}

export interface Reader<T> extends Closer, ns.Base<T> {
  readonly size: number;
  read(path: string): Promise<T>;
  new (x: string): Reader<T>;
  callback: (x: T) => void;
}

export const enum Color { Red = 1, Green, 'dark-blue' = 4 }

declare module 'plugin' {
  export function install(app: App): void;
}

namespace Outer.Inner {
  export const depth = 2;
  export function go() { return new Map<string, Users<any>>(); }
}

declare global {
  interface Window { scova: string }
}

function isText(value: unknown): value is string;
function isText(value: unknown) { return (value as Box).unwrap() satisfies string; }

export default class implements Reader<string> {
  work() {}
}
export const make = <T,>(x: T) => wrap<T>(x), plain = 3;

import Main, { type One, Two as Zwei } from "./m";
import old = require("./old");

class Bound<T> {
  private client?: Client<T>;
  queue = new Queue<T>();
  both: Base = new Derived();
  constructor(private readonly log: ns.Logger, plain: Zwei | null, many: One[], either: One | Zwei) {
    const made = new Main();
    let unknown: any = new Known();
    this.queue = new Queue();
  }
  chain(): this { return this; }
  found(): Zwei | undefined { return undefined; }
  wrapped(call: (inner: One) => void): Readonly<One> { return call; }
}
const arrow = (x: One): Zwei => x;
