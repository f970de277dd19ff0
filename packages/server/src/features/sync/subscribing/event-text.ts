import { hash } from 'node:crypto'

const textMax = 1_000

/** Removes what PostgreSQL cannot store in text but JSON may contain: NUL and lone surrogates. */
export function cleanText<T extends string | undefined>(text: T): T {
  return text?.toWellFormed().replaceAll('\0', '').slice(0, textMax) as T
}

/** Returns a key that identifies an event among those of one registration, account and name. */
export function eventKey(...parts: (string | undefined)[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)
}
