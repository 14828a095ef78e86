import { Base, Sink } from './base';
import * as db from './db';
import { connect as open, Pool } from './db/index.js';
import { debounce } from 'lodash';

export class User extends Base<string> {
  private pool: Pool;
  constructor(readonly sink: Sink) {
    super();
    this.pool = new Pool(open('x'));
  }
  protected validate(): void {
    this.sink.write('a');
    this.pool.take().flush();
    check(this);
  }
  close(other): void {
    super.save();
    db.connect('y').write('b');
    other.take();
    debounce(() => this.close(other));
    parseInt('1');
  }
}

export const check = (user: User): void => {
  user.save();
};
