import type { Window } from '../catalogue/format/window.ts'
import { ProviderError } from '../provider-error.ts'
import { compilePath } from './path.ts'
import { parseTemplate, render, type Variables } from './template.ts'

type Format = NonNullable<Window['format']>

/**
 * The window of a read as text, in the format of the provider.
 *
 * @param variables what the zone of the window may name
 * @throws ProviderError `bad_request` for a zone that does not exist
 */
export function windowVariables(
  window: Window,
  since: Date | undefined,
  until: Date | undefined,
  variables?: Variables,
): Record<string, string> {
  const format = window.format ?? 'rfc3339'
  const zone = hasZone(format) ? zoneOf(window, variables) : 'UTC'
  const texts: Record<string, string> = {}
  if (since !== undefined)
    texts['since'] = writeInstant(format, unambiguous(lowerBound(window, format, since), zone), zone)
  if (until !== undefined) texts['until'] = writeInstant(format, until.getTime(), zone)
  return texts
}

/** The unit of a format. */
export const grainMs: Record<Format, number> = {
  rfc3339: 1,
  rfc3339Seconds: 1000,
  rfc3339Offset: 1000,
  dateTime: 1000,
  date: 86_400_000,
  unix: 1000,
  unixMs: 1,
}
const hourMs = 3_600_000

function hasZone(format: Format): boolean {
  return format === 'dateTime' || format === 'date'
}

function zoneOf({ zone }: Window, variables: Variables | undefined): string {
  if (zone === undefined) return 'UTC'
  const name = render(parseTemplate(zone), variables ?? (() => undefined))
  if (name !== undefined && isZone(name)) return name
  throw new ProviderError('bad_request', `The time zone "${name ?? ''}" of the connection is not known.`)
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * Returns the lower bound of a request: cut to the precision of the format (never later than `since`), one step earlier
 * if the provider excludes the bound itself. So no record changed at `since` or later can be missed.
 */
function lowerBound(window: Window, format: Format, since: Date): number {
  const grain = grainMs[format]
  // A day begins at another moment in each zone: it is cut by its text.
  const cutTo = format === 'date' && window.zone !== undefined ? 1000 : grain
  const cut = Math.floor((since.getTime() - (window.overlapSeconds ?? 0) * 1000) / cutTo) * cutTo
  return window.lowerBound === 'exclusive' ? cut - grain : cut
}

/** An hour before a local time that occurs twice. The provider may take its text for the second one. */
function unambiguous(timeMs: number, zone: string): number {
  if (zone === 'UTC') return timeMs
  return localTime(timeMs, zone) === localTime(timeMs + hourMs, zone) ? timeMs - hourMs : timeMs
}

/** The Swedish form of a date and time is `2026-03-04 05:06:07`. */
function localTime(timeMs: number, zone: string): string {
  return new Date(timeMs).toLocaleString('sv-SE', { timeZone: zone })
}

function writeInstant(format: Format, timeMs: number, zone: string): string {
  switch (format) {
    case 'rfc3339':
      return new Date(timeMs).toISOString()
    case 'rfc3339Seconds':
      return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
    case 'rfc3339Offset':
      return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/, '+00:00')
    case 'dateTime':
      return localTime(timeMs, zone)
    case 'date':
      return localTime(timeMs, zone).slice(0, 10)
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
