import type { ReadObject } from '../catalogue/format/provider-file.ts'
import type { Connector, ReadPage, ReadPageRequest } from '../connector.ts'
import { type AskedRead, type ChosenRequest, chooseRequest } from '../interpreter/choose-request.ts'
import { planOf } from '../interpreter/object-plan.ts'
import { ProviderError } from '../provider-error.ts'
import type { TriedFinding } from './finding.ts'
import { followPages, missingIds } from './follow-pages.ts'
import type { Recording, TriedStep } from './recording-http.ts'

/** The reads of Mortise, by what starts them. */
export const readKinds = ['backfill', 'scheduled', 'triggered'] as const

/** What a read sends. */
export interface TriedRead extends ChosenRequest {
  kind: (typeof readKinds)[number]
  /** The requests that show it. */
  step: TriedStep
}

interface TryingReads {
  connector: Connector
  objectName: string
  object: ReadObject
  recording: Recording
  findings: TriedFinding[]
  step: <T>(what: string, work: () => Promise<T>) => Promise<T | undefined>
  now: Date
  signal: AbortSignal
}

const dayMs = 86_400_000
/** Long enough that most accounts have more than one page of changes. */
const longWindowDays = 365

/**
 * Reads as a backfill does, and where the file has a window, as a scheduled read does and in a window of the future.
 *
 * @returns the page that a backfill begins with, where it came, and what each kind of read sends
 */
export async function tryReads(trying: TryingReads): Promise<{ first: ReadPage | undefined; reads: TriedRead[] }> {
  const { connector, objectName, object, recording, findings, step, now, signal } = trying
  const pages: ReadPage[] = []
  const choose = (asked: AskedRead) => chooseRequest(object, objectName, asked, now.getTime())
  const read = (what: string, times: Pick<ReadPageRequest, 'since' | 'until'>) => {
    const { request } = choose(times)
    const plan = planOf(object, objectName)
    const following = { object, listing: request === 'read' ? plan.full : plan.window, findings }
    return step(what, () =>
      followPages(
        connector,
        { object: objectName, fields: 'all', pageSize: 1, signal, ...times },
        { ...following, what: what === 'read' ? 'next page' : `next page of the ${what}` },
      ),
    )
  }
  const ago = (days: number) => new Date(now.getTime() - days * dayMs)

  recording.begin('backfill')
  const full = await read('read', { until: now })
  pages.push(...(full ?? []))
  const everything = choose({ until: now })
  const reads: TriedRead[] = [
    { kind: 'backfill', ...everything, step: 'backfill' },
    { kind: 'triggered', ...everything, step: 'backfill' },
  ]
  if (object.incremental === undefined) {
    reads.push({ kind: 'scheduled', ...everything, step: 'backfill' })
  } else {
    recording.begin('scheduled')
    const { reach = longWindowDays } = object.incremental
    const days = typeof reach === 'number' ? reach : longWindowDays
    const since = ago(Math.min(1, days / 2))
    const changed = await read('scheduled read', { since, until: now })
    pages.push(...(changed ?? []))
    // What changed in a day may be one page; how a window is paged shows in a longer one.
    if (changed?.length === 1) {
      const more = await read('scheduled read', {
        since: ago(Math.max(1, Math.min(longWindowDays, days) - 1)),
        until: now,
      })
      pages.push(...(more ?? []))
    }
    reads.push({ kind: 'scheduled', ...choose({ since, until: now }), step: 'scheduled' })
    recording.begin('future')
    await step('window in the future', () => checkFuture(trying))
  }
  findings.push(...missingIds(pages))
  return { first: full?.[0], reads }
}

/** Nothing can have changed in a window that begins tomorrow. */
async function checkFuture({ connector, objectName, findings, now, signal }: TryingReads): Promise<void> {
  const [since, until] = [1, 2].map((days) => new Date(now.getTime() + days * dayMs)) as [Date, Date]
  const page = await connector
    .readPage({ object: objectName, fields: 'all', pageSize: 1, since, until, signal })
    .catch((error: unknown) => {
      // Some applications refuse a time that has not come: they look at it.
      if (error instanceof ProviderError && error.class === 'bad_request') return undefined
      throw error
    })
  if (page !== undefined && page.records.length > 0)
    findings.push({
      level: 'error',
      message:
        'window in the future: records found, although nothing can have changed after tomorrow. The provider ignores the time filter. Check the parameters with `{{since}}` and `{{until}}`.',
    })
}
