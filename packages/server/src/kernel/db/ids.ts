import { v7 } from 'uuid'

/** Makes the id of a new row: a UUIDv7 (RFC 9562, 5.7), so that ids made later sort later. Injected wherever rules need one. */
export type NewId = () => string

export const newId: NewId = () => v7()

/** Whether a text can be the id of a row; anything else is looked up nowhere and answers like a missing row. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
}
