import type { ReadPageRequest } from '../connector.ts'
import type { HeaderTime } from '../interpreter/header-time.ts'
import { ProviderError } from '../provider-error.ts'
import type { Json } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import type { StandIn } from './stand-in/stand-in.ts'
import { connectorTo, type Subject } from './stand-in/subject.ts'
import { now } from './stand-in/window-texts.ts'

/** Milliseconds until the limit starts again, where a header has the time. */
const resetMs = 7_000

const written: Record<HeaderTime, () => string> = {
  seconds: () => String(resetMs / 1000),
  milliseconds: () => String(resetMs),
  unix: () => String((now + resetMs) / 1000),
  unixMs: () => String(now + resetMs),
  date: () => new Date(now + resetMs).toUTCString(),
}

/**
 * Reads the first page of a list three times, while the response reports that nothing of the limit is left. Returns
 * what is not as the file says: the second read must not be sent, and the third one, after the wait, must succeed.
 */
export async function limitHeaderFaults(
  subject: Subject,
  server: StandInServer,
  { standIn, request }: { standIn: StandIn; request: ReadPageRequest },
): Promise<string[]> {
  const { limitHeaders } = (subject.entry.file?.errors ?? {}) as { limitHeaders: Json }
  const { remaining, reset, format = 'seconds', seconds = 0 } = limitHeaders
  const headers = {
    [String(remaining)]: '0',
    ...(reset !== undefined && { [String(reset)]: written[format as HeaderTime]() }),
  }
  const expected = reset === undefined ? Number(seconds) * 1000 : resetMs
  let at = now
  const connector = connectorTo(server, subject, standIn, { now: () => at })
  const read = () => connector.readPage(request)

  standIn.instead = (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } })
  const first = await read()
  const sent = standIn.arrived.length
  const error = await read().catch((failure: unknown) => failure)
  const faults: string[] = []
  if (!(error instanceof ProviderError) || error.class !== 'rate_limited')
    faults.push(`a read without a limit left is ${error instanceof ProviderError ? error.class : 'a success'}`)
  else if (error.retryAfterMs !== expected) faults.push(`the wait is ${error.retryAfterMs}, not ${expected}`)
  if (standIn.arrived.length !== sent) faults.push('a request is sent although nothing of the limit is left')

  at += expected
  const again = await read()
  if (again.records.length !== first.records.length) faults.push(`after the wait, ${again.records.length} records`)
  return faults
}
