import { OutboundError } from '../../../kernel/net/index.ts'
import type { SendResult } from './kind.ts'

/** What an error that `send` met means for its messages. @throws anything that is not an `OutboundError` */
export function failureOf(error: unknown): SendResult {
  if (!(error instanceof OutboundError)) throw error
  const outcome = error.kind === 'aborted' ? 'cancelled' : error.kind === 'busy' ? 'unsent' : 'retry'
  return { outcome, error: error.message }
}
