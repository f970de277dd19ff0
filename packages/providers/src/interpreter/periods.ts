import type { Periods } from '../catalogue/format/periods.ts'
import { windowVariables } from './incremental.ts'
import { type Step, stepMs, type WindowPart } from './stepped-window.ts'

/** A period that one request lists, with its variables. */
export interface PeriodPart extends WindowPart {
  period: { start: string | undefined; end: string | undefined }
}

const dayMs = 86_400_000

/**
 * Cuts the time between the oldest and the newest record into periods, for lists that cover no more. The newest comes
 * first: most callers who read only some pages want recent records. Its end is fixed by the first request.
 *
 * @param step from the token of the page; undefined for the first page
 * @param now milliseconds since 1970
 */
export function periodPart(
  { format = 'rfc3339', days, overlapDays = 0, from, aheadDays = 0 }: Periods,
  step: Step | undefined,
  now: number,
): PeriodPart {
  const at: Step = step ?? { from: Date.parse(from), end: now + aheadDays * dayMs }
  const since = Math.max(at.from, at.end - (at.ms ?? stepMs({ format }, days - overlapDays)))
  const window = { format }
  const { since: start, until: end } = windowVariables(window, new Date(since - overlapDays * dayMs), new Date(at.end))
  const part = { since: new Date(since), until: new Date(at.end), window, step: at, period: { start, end } }
  return since > at.from ? { ...part, following: { ...at, end: since } } : part
}
