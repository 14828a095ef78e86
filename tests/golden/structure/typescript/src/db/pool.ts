import type { Connection } from './index';

export class Pool {
  constructor(private readonly connection: Connection) {}
  take(): Connection {
    this.connection.flush();
    return this.connection;
  }
}
