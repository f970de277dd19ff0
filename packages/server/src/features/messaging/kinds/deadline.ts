import { OutboundError } from '../../../kernel/net/index.ts'
import type { SendOptions } from './kind.ts'

/** What a deadline ends: a connection of the kind. */
interface Endable {
  end(reason: OutboundError): void
}

/**
 * The one deadline of a `send`, and its cancellation, for kinds that open connections: each ends the connection, so
 * that nothing waits any longer.
 *
 * @param shown host and port
 */
export function startDeadline(shown: string, { timeoutMs, signal }: Pick<SendOptions, 'timeoutMs' | 'signal'>) {
  const controller = new AbortController()
  let passed: OutboundError | undefined
  let connection: Endable | undefined
  const pass = (reason: OutboundError) => {
    passed ??= reason
    connection?.end(passed)
    controller.abort(passed)
  }
  const cancel = () => pass(new OutboundError('aborted', `The connection to ${shown} was canceled.`))
  const timer = setTimeout(() => pass(new OutboundError('timeout', `${shown} did not answer in time.`)), timeoutMs)
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
  return {
    /** Aborts while the connection is being opened. */
    signal: controller.signal,
    passed: () => passed,
    ends(open: Endable) {
      connection = open
      if (passed) open.end(passed)
    },
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    },
  }
}
