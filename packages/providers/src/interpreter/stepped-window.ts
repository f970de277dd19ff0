import type { Window } from '../catalogue/format/window.ts'
import { grainMs, windowVariables } from './incremental.ts'

/** The step of a window that is being read, and the end of the whole window. Milliseconds since 1970. */
export interface Step {
  from: number
  end: number
  /** The length of this step and of those that follow, where longer ones have more records than a list may have. */
  ms?: number
}

/** The part of a window that one request reads. */
export interface WindowPart {
  since: Date | undefined
  until: Date | undefined
  /** How the bounds are written. */
  window: Window
  /** What the token of a further page of this part has; undefined where the window has no parts. */
  step?: Step
  /** The part that follows; undefined for the last one. */
  following?: Step
}

const dayMs = 86_400_000

/**
 * Cuts the window of a read into parts, for providers that refuse a longer one. Parts share their bounds, so that
 * nothing lies between them, unless they are whole days. The end of the window is fixed by the first request.
 *
 * @param step from the token of the page; undefined for the first page
 * @param now milliseconds since 1970
 */
export function windowPart(
  window: Window,
  since: Date | undefined,
  until: Date | undefined,
  step: Step | undefined,
  now: number,
): WindowPart {
  const first = since?.getTime() ?? historyStart(window, now)
  if (window.stepDays === undefined || first === undefined)
    return { since: first === undefined ? undefined : new Date(first), until, window }
  const { overlapSeconds = 0, ...exact } = window
  const begin = first - overlapSeconds * 1000
  const hasWholeDays = window.upperBound === 'inclusive'
  const at: Step = step ?? { from: hasWholeDays ? dayOf(begin) : begin, end: lastEnd(window, until, now) }
  const { from, end } = at
  const to = Math.max(from, Math.min(from + (at.ms ?? stepMs(window, window.stepDays)), end))
  const part = { since: new Date(from), until: new Date(to), window: exact, step: at }
  const next = hasWholeDays ? dayOf(to) + dayMs : to
  const isRead = hasWholeDays ? next > end : to >= end || isOneDay(exact, to, end)
  return isRead ? part : { ...part, following: { ...at, from: next } }
}

/**
 * Returns the first half of a part, for a list that has reached the limit of the provider. What was read of it is read
 * again. Undefined where bounds are whole days, or where a half would be too short.
 */
export function halfOf({ since, until, step, window }: WindowPart): Step | undefined {
  if (since === undefined || until === undefined || step === undefined) return undefined
  const ms = Math.ceil((until.getTime() - since.getTime()) / 2)
  const { format = 'rfc3339', upperBound } = window
  const isShort = ms < Math.max(shortestMs, 2 * grainMs[format])
  return upperBound === 'inclusive' || isShort ? undefined : { ...step, ms }
}

/**
 * Whether both bounds of a part are written as the same day. Such a part is empty if the provider excludes the day of
 * the end, and has been read with the part before if not.
 */
function isOneDay({ format, zone }: Window, from: number, to: number): boolean {
  if (format !== 'date' || zone?.includes('{{')) return false
  const window = { format, ...(zone !== undefined && { zone }) }
  const { since, until } = windowVariables(window, new Date(from), new Date(to))
  return since === until
}

/** Otherwise, a provider that ignores the window would receive ever shorter ones. */
const shortestMs = 600_000

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs) * dayMs
}

/**
 * Returns the length of a part in milliseconds. A day may be counted from its first moment to its last, and an
 * exclusive bound lies one unit outside.
 */
export function stepMs({ format = 'rfc3339', lowerBound, upperBound }: Window, days: number): number {
  if (upperBound === 'inclusive') return (days - 1) * dayMs
  const grain = grainMs[format]
  return Math.max(days * dayMs - grain * (lowerBound === 'exclusive' ? 2 : 1), grain)
}

/** Where the whole window ends. What lies between it and its requested end is in the overlap of the next read. */
function lastEnd({ settleSeconds = 0 }: Window, until: Date | undefined, now: number): number {
  return Math.min(until?.getTime() ?? now, settleSeconds === 0 ? Number.POSITIVE_INFINITY : now - settleSeconds * 1000)
}

function historyStart({ history }: Window, now: number): number | undefined {
  if (history === undefined) return undefined
  return typeof history === 'number' ? now - history * dayMs : Date.parse(history)
}
