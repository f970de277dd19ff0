import type { OutgoingMessage } from './kind.ts'

/** When a message was created: its id has it (RFC 9562, section 5.7). A message that is sent again has the same. */
export function createTimeOf({ id }: Pick<OutgoingMessage, 'id'>): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
}
