import type { Client } from '@mortise/client'
import { type Forwarded, forward } from './forward.ts'
import { listen, type Start, type StreamedMessage } from './listen.ts'
import { createVerifier } from './verify.ts'

/** What happens while somebody listens. */
export type Received =
  /** It was posted. With `fault` its signature is not good, and it is not forwarded. */
  | { event: 'message'; message: StreamedMessage; fault?: string }
  /** What the endpoint made of it. */
  | { event: 'forwarded'; message: StreamedMessage; forwarded: Forwarded }
  /** Its delivery to the destination itself made progress. */
  | { event: 'state'; message: StreamedMessage }

/**
 * Listens to a destination, verifies each message and passes it on, one after the other. Ends by throwing the reason of
 * the signal.
 */
export async function* forwardMessages(
  mortise: Client,
  options: { destination: string; start: Start; to: URL | undefined; signal: AbortSignal },
): AsyncGenerator<Received> {
  const { destination, to, signal } = options
  const faultOf = createVerifier(mortise, destination, signal)
  for await (const { event, message } of listen(mortise, options)) {
    if (event === 'state') {
      yield { event, message }
      continue
    }
    const fault = await faultOf(message)
    yield { event, message, ...(fault !== undefined && { fault }) }
    if (!to || fault !== undefined) continue
    const { headers = {}, body = '' } = message
    const forwarded = await forward(to, { headers, body }, signal)
    signal.throwIfAborted()
    yield { event: 'forwarded', message, forwarded }
  }
}
