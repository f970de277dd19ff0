import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { StandInRequest } from '@mortise/providers/stand-in'
import { UsageError } from '../usage-error.ts'
import type { StandInMessage } from './stand-in-worker.ts'

/** Limits of a test. The time is that of the file itself, and of each object, which takes less than a second. */
const defaultLimits = { timeLimitMs: 60_000, heapMb: 512 }

/**
 * Tests a provider file against its stand-in, in a thread: a file that costs too much ends the thread only.
 *
 * @throws UsageError if the file costs too much
 */
export async function* runStandIn(
  request: Omit<StandInRequest, 'builtIn'>,
  signal: AbortSignal,
  { timeLimitMs, heapMb } = defaultLimits,
): AsyncGenerator<StandInMessage> {
  const isSource = import.meta.url.endsWith('.ts')
  const worker = new Worker(new URL(isSource ? './stand-in-worker.ts' : './stand-in-worker.js', import.meta.url), {
    workerData: request,
    // The thread resolves workspace packages under the same condition as this process.
    execArgv: isSource ? ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning'] : [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeLimitMs)
  let last: string | undefined
  try {
    for await (const [message] of on(worker, 'message', { signal: AbortSignal.any([signal, late.signal]) })) {
      timer.refresh()
      const found = message as StandInMessage
      yield found
      if (found.kind === 'end') return
      if (found.kind === 'object') last = found.object.objectName
    }
  } catch (error) {
    signal.throwIfAborted()
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    if (!isTooLarge && !late.signal.aborted) throw error
    const where = last === undefined ? 'The file' : `The object after ${last}`
    const cost = isTooLarge ? `${heapMb} MB of memory` : `${timeLimitMs / 1000} seconds`
    throw new UsageError(`${where} needs more than ${cost}, so the test ended. Name other objects with --object.`)
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
