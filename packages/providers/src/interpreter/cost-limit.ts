import { setTimeout } from 'node:timers/promises'
import type { CostLimit } from '../catalogue/format/cost-limit.ts'
import { ProviderError } from '../provider-error.ts'
import { CostBudget, type CostReport } from './cost-budget.ts'
import { waitUntilMs } from './header-time.ts'
import { compilePath, type PathReader, pathNames, scalarText } from './path.ts'

/** A request waits this long for its units; work that must wait longer is postponed. */
const waitMaxMs = 10_000

export interface CostLimitOptions {
  now: () => number
  /** The budget of the connection. Default: a new one. */
  budget?: CostBudget | undefined
  /** Waits, unless the signal aborts. Default: by the system's clock. */
  pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}

/** Keeps the cost of requests within what responses report. */
export interface CostKeeper {
  /**
   * Sends a request once its units are there. Returns its response, and the milliseconds until the units of the same
   * request are there again.
   *
   * @param kind identifies requests of one cost; a request without it is neither delayed nor counted
   * @throws ProviderError, `rate_limited` if the wait is too long
   */
  send<T extends { json: unknown }>(
    kind: object | undefined,
    signal: AbortSignal | undefined,
    exchange: () => Promise<T>,
  ): Promise<{ response: T; waitMs: number }>
}

/** Compiles the limit on cost that a provider file declares; without one, requests are sent as they are. */
export function openCostKeeper(
  declared: CostLimit | undefined,
  { now, budget = new CostBudget(), pause = pauseFor }: CostLimitOptions,
): CostKeeper {
  if (declared === undefined)
    return { send: async (_kind, _signal, exchange) => ({ response: await exchange(), waitMs: 0 }) }
  const read = compileReport(declared)

  async function waitFor(cost: number, signal: AbortSignal | undefined): Promise<void> {
    let waited = 0
    for (let ms = budget.waitMs(cost, now()); ms > 0; ms = budget.waitMs(cost, now())) {
      if (waited + ms > waitMaxMs)
        throw new ProviderError('rate_limited', 'The provider has not restored the units that this request needs.', {
          retryAfterMs: ms,
        })
      await pause(ms, signal)
      signal?.throwIfAborted()
      waited += ms
    }
  }

  return {
    async send(kind, signal, exchange) {
      if (kind === undefined) return { response: await exchange(), waitMs: 0 }
      const expected = budget.expectedCost(kind)
      await waitFor(expected, signal)
      const end = budget.begin(expected)
      const response = await exchange().finally(end)
      const { cost, report } = read(response.json, now())
      if (cost !== undefined) budget.spent(kind, cost)
      if (report !== undefined) budget.learn(report, now())
      return { response, waitMs: budget.waitMs(cost ?? expected, now()) }
    },
  }
}

/**
 * Reads the report of a response of which only the last bytes are there.
 *
 * @param now milliseconds since 1970
 */
export type TailReportReader = (end: { text: string; isWhole: boolean }, now: number) => CostReport | undefined

/**
 * Compiles a limit on cost for responses that nobody parses. What is left can be read if the text is the whole body, or
 * if the body ends with the key of its root that contains the report, as `extensions` of GraphQL mostly does.
 */
export function compileTailReport(declared: CostLimit): TailReportReader {
  const read = compileReport(declared)
  const [root = ''] = pathNames(declared.remaining) ?? []
  const key = JSON.stringify(root)
  return ({ text, isWhole }, now) => {
    const at = text.lastIndexOf(key)
    if (at < 0) return undefined
    // A key further inside leaves a bracket too many, and a text that contains it has a backslash before its quotes.
    const json = parsed(isWhole ? text : `{${text.slice(at)}`)
    return json === undefined ? undefined : read(json, now).report
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type ReadReport = (json: unknown, now: number) => { cost: number | undefined; report: CostReport | undefined }

function compileReport({ remaining, cost, restoredPerSecond, maximum, reset, format }: CostLimit): ReadReport {
  const at = (path: string | undefined): PathReader => (path === undefined ? () => undefined : compilePath(path))
  const paths = { remaining: at(remaining), cost: at(cost), rate: at(restoredPerSecond), maximum: at(maximum) }
  const resetAt = at(reset)
  return (json, now) => {
    const left = units(paths.remaining(json))
    const report = left === undefined ? undefined : { remaining: left, ...timesOf(json, now) }
    return { cost: units(paths.cost(json)), report }
  }

  function timesOf(json: unknown, now: number): Omit<CostReport, 'remaining'> {
    return {
      restoredPerSecond: units(paths.rate(json)),
      maximum: units(paths.maximum(json)),
      resetMs: waitUntilMs(scalarText(resetAt(json)), format ?? 'seconds', now),
    }
  }
}

/** A number of units; undefined if the value is something else. */
function units(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}

/** Waits by the system's clock, unless the signal aborts. */
export async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })
}
