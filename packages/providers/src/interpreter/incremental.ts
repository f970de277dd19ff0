import type { Window } from '../catalogue/format/window.ts'
import { compilePath } from './path.ts'

type Format = NonNullable<Window['format']>

/** The window of a read as text, in the format of the provider. */
export function windowVariables(
  window: Window,
  since: Date | undefined,
  until: Date | undefined,
): Record<string, string> {
  const format = window.format ?? 'rfc3339'
  const variables: Record<string, string> = {}
  if (since !== undefined) variables['since'] = writeInstant(format, lowerBound(window, format, since))
  if (until !== undefined) variables['until'] = writeInstant(format, until.getTime())
  return variables
}

const grainMs: Record<Format, number> = { rfc3339: 1, rfc3339Seconds: 1000, date: 86_400_000, unix: 1000, unixMs: 1 }

/**
 * Returns the lower bound of a request: cut to the precision of the format (never later than `since`), one step earlier
 * if the provider excludes the bound itself. So no record changed at `since` or later can be missed.
 */
function lowerBound(window: Window, format: Format, since: Date): number {
  const grain = grainMs[format]
  const cut = Math.floor((since.getTime() - (window.overlapSeconds ?? 0) * 1000) / grain) * grain
  return window.lowerBound === 'exclusive' ? cut - grain : cut
}

function writeInstant(format: Format, timeMs: number): string {
  switch (format) {
    case 'rfc3339':
      return new Date(timeMs).toISOString()
    case 'rfc3339Seconds':
      return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
    case 'date':
      return new Date(timeMs).toISOString().slice(0, 10)
    case 'unix':
      return String(Math.floor(timeMs / 1000))
    case 'unixMs':
      return String(timeMs)
  }
}

/** Records of a page that lie in the window, for providers that cannot filter. */
export type WindowFilter = (records: readonly unknown[]) => {
  kept: unknown[]
  /** True when the order says that everything after this page is older than the window. */
  ended: boolean
}

export function windowFilter(
  window: Window,
  since: Date | undefined,
  until: Date | undefined,
): WindowFilter | undefined {
  if (window.filter === undefined || (since === undefined && until === undefined)) return undefined
  const read = compilePath(window.filter.timestamp)
  const descending = window.filter.order === 'descending'
  // Whole seconds: many providers cut the times of their records, so that a change seems older than it is.
  const from =
    since === undefined
      ? Number.NEGATIVE_INFINITY
      : (Math.floor(since.getTime() / 1000) - (window.overlapSeconds ?? 0)) * 1000
  const to = until?.getTime() ?? Number.POSITIVE_INFINITY
  return (records) => {
    let ended = false
    const kept = records.filter((record) => {
      const time = readInstant(read(record))
      // A record without a readable time is delivered: better twice than never.
      if (time === undefined) return true
      if (time < from) ended ||= descending
      return time >= from && time <= to
    })
    return { kept, ended }
  }
}

/** Milliseconds since 1970. Text without a zone is UTC; numbers up to eleven digits are seconds. */
export function readInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? (value < 1e11 ? value * 1000 : value) : undefined
  if (typeof value !== 'string') return undefined
  if (/^\d{9,14}$/.test(value)) return readInstant(Number(value))
  const zoned = /[zZ]$|[+-]\d\d:?\d\d$/.test(value) || !/[T ]\d\d:/.test(value)
  const time = Date.parse(zoned ? value : `${value.replace(' ', 'T')}Z`)
  return Number.isNaN(time) ? undefined : time
}
