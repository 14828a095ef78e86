export abstract class Base<T> {
  save(): void {
    this.validate();
  }
  protected abstract validate(): void;
}
export interface Sink {
  write(item: string): void;
}
