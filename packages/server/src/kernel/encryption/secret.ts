import { inspect } from 'node:util'

const mask = '[secret]'

/**
 * A value that does not print: in text, JSON, logs and inspection it is `[secret]`. Wrap a secret where it enters, and
 * call `reveal()` where it leaves for its purpose.
 */
export class Secret<T> {
  readonly #value: T
  constructor(value: T) {
    this.#value = value
  }
  /** The value. Search for calls of this to find every place where secrets leave. */
  reveal(): T {
    return this.#value
  }
  toString(): string {
    return mask
  }
  toJSON(): string {
    return mask
  }
  [Symbol.toPrimitive](): string {
    return mask
  }
  [inspect.custom](): string {
    return mask
  }
}
