import type { Sender } from './kind.ts'

/**
 * A sender that sends nothing: messages wait.
 *
 * @param error why, in a sentence
 */
export function nothingSent(error: string): Sender {
  return {
    send: async (batch) => batch.map(() => ({ outcome: 'unsent', error })),
    close: async () => undefined,
  }
}
