import type { ReadPageRequest } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import type { Answer } from './stand-in/http-server.ts'
import { fitted, type Json, withValue } from './stand-in/json-paths.ts'
import type { StandInServer } from './stand-in/server.ts'
import type { StandIn } from './stand-in/stand-in.ts'
import { connectorTo, type Subject } from './stand-in/subject.ts'
import { now } from './stand-in/window-texts.ts'

/** Units of a limit on cost: of those that a request needs, too few are left. */
const cost = 50
const left = 10
const perSecond = 20
const resetSeconds = 3

/** Milliseconds until a request has its units again. */
const restoredMs = ((cost - left) / perSecond) * 1000

/**
 * Reads the first page of a list several times, while each response reports that too little of the limit on cost is
 * left. Returns what is not as the file says: the second read must wait, and a refusal must become a retry.
 */
export async function costFaults(
  subject: Subject,
  server: StandInServer,
  { standIn, request }: { standIn: StandIn; request: ReadPageRequest },
): Promise<string[]> {
  const { costLimit, rules = [] } = (subject.entry.file?.errors ?? {}) as { costLimit: Json; rules?: Json[] }
  const faults: string[] = []
  let at = now
  const waits: number[] = []
  const pause = async (ms: number) => {
    waits.push(ms)
    at += ms
  }
  const connector = connectorTo(server, subject, standIn, { now: () => at, pause })
  const expected = 'reset' in costLimit ? resetSeconds * 1000 : restoredMs
  const read = () => connector.readPage(request)

  standIn.instead = (answer) => reporting(answer, costLimit)
  const first = await read()
  if (String(waits) !== '') faults.push(`the first request waits ${waits.join()}`)
  await read()
  if (String(waits) !== String(expected)) faults.push(`the second request waits ${waits.join()}, not ${expected}`)

  const refusal = rules.find(({ is, status = 200 }) => is === 'rate_limited' && status === 200)
  at += expected
  standIn.instead = () => reporting({ body: fitted({}, refusal?.['when'] as Json) }, costLimit)
  const error = await read().catch((failure: unknown) => failure)
  if (!(error instanceof ProviderError) || error.class !== 'rate_limited')
    faults.push(`a refusal for its cost is ${error instanceof ProviderError ? error.class : 'a success'}`)
  else if (error.retryAfterMs !== expected) faults.push(`the retry waits ${error.retryAfterMs}, not ${expected}`)

  at += expected
  waits.length = 0
  standIn.instead = (answer) => reporting(answer, costLimit)
  const again = await read()
  if (waits.length > 0) faults.push(`the retry waits ${waits.join()} more`)
  if (again.records.length !== first.records.length) faults.push(`the retry has ${again.records.length} records`)
  return faults
}

/** The response, with what is left of the limit. */
function reporting({ body, ...rest }: Answer, costLimit: Json): Answer {
  const values: Json = { remaining: left, cost, restoredPerSecond: perSecond, maximum: 100, reset: resetSeconds }
  let made: unknown = body
  for (const [name, value] of Object.entries(values))
    if (name in costLimit) made = withValue(made, String(costLimit[name]), value)
  return { ...rest, body: made }
}
