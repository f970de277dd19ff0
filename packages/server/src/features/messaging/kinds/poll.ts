import { setTimeout as wait } from 'node:timers/promises'
import { OutboundError } from '../../../kernel/net/index.ts'
import type { SendOptions } from './kind.ts'

/** Time between two looks at a statement that is still running: short at first. */
const firstMs = 25
const longestMs = 1_000

/**
 * Looks until there is something, within the deadline of the calls that `look` makes.
 *
 * @param look returns undefined while there is nothing yet
 * @throws OutboundError `aborted` when the signal fires, and whatever `look` throws
 */
export async function pollUntil<T>(
  look: () => Promise<T | undefined>,
  { signal }: Pick<SendOptions, 'signal'>,
): Promise<T> {
  for (let ms = firstMs; ; ms = Math.min(ms * 2, longestMs)) {
    await waitFor(ms, signal)
    const found = await look()
    if (found !== undefined) return found
  }
}

/** Waits. @throws OutboundError `aborted` when the signal fires */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch (cause) {
    throw new OutboundError('aborted', 'The delivery was canceled.', { cause })
  }
}
