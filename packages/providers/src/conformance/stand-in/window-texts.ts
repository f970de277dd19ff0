import { filledText, type Values } from './fill.ts'
import type { Json } from './json-paths.ts'

/** The clock of the suite, and the window of its reads. */
export const now = Date.parse('2026-03-04T12:00:00.000Z')
export const since = new Date('2026-03-04T05:06:07.000Z')
export const until = new Date('2026-03-04T11:16:17.000Z')

/** A time within the window. */
export const within = new Date('2026-03-04T08:00:00.000Z')
/** Times outside of it, further than any overlap. */
export const before = new Date('2026-03-01T08:00:00.000Z')
export const after = new Date('2026-03-06T08:00:00.000Z')

const units: Record<string, number> = {
  dateTime: 1000,
  date: 86_400_000,
  unix: 1000,
  rfc3339Seconds: 1000,
  rfc3339Offset: 1000,
}

/** `{{since}}` and `{{until}}` as the format of the file writes them. */
export function windowTexts(window: Json, values: Values): { since: string; until: string } {
  const { format = 'rfc3339', lowerBound, overlapSeconds = 0, zone } = window
  const unit = units[String(format)] ?? 1
  const timeZone = zone === undefined ? 'UTC' : (filledText(String(zone), values) ?? 'UTC')
  const earlier = since.getTime() - Number(overlapSeconds) * 1000
  const isLocalDay = format === 'date' && zone !== undefined
  const cut = isLocalDay ? earlier : Math.floor(earlier / unit) * unit
  return {
    since: written(String(format), cut - (lowerBound === 'exclusive' ? unit : 0), timeZone),
    until: written(String(format), until.getTime(), timeZone),
  }
}

const dayMs = 86_400_000

/** The clock of the suite for a list. One that is read in periods has two of them, the second half as long. */
export function clockOf({ periods }: Json): number {
  if (periods === undefined) return now
  const { from, length, aheadMs } = partsOf(periods as Json)
  return Math.floor(from + length * 1.5) - aheadMs
}

/** `{{period.start}}` and `{{period.end}}` of the requests of a list, in order; one without them has one request. */
export function periodTexts(read: Json): { period?: { start: string; end: string } }[] {
  const { periods } = read as { periods?: Json }
  if (periods === undefined) return [{}]
  const { from, length, overlapMs, aheadMs, format, unit } = partsOf(periods)
  const end = clockOf(read) + aheadMs
  const text = (time: number) => written(format, Math.floor(time / unit) * unit, 'UTC')
  return [
    { period: { start: text(end - length - overlapMs), end: text(end) } },
    { period: { start: text(from - overlapMs), end: text(end - length) } },
  ]
}

function partsOf({ format = 'rfc3339', days, overlapDays = 0, from, aheadDays = 0 }: Json) {
  const unit = units[String(format)] ?? 1
  const [overlapMs, aheadMs] = [Number(overlapDays) * dayMs, Number(aheadDays) * dayMs]
  // Both of its days count.
  const length = Number(days) * dayMs - overlapMs - unit
  return { from: Date.parse(String(from)), length, overlapMs, aheadMs, format: String(format), unit }
}

function written(format: string, time: number, timeZone: string): string {
  const iso = new Date(time).toISOString()
  if (format === 'unix') return String(time / 1000)
  if (format === 'unixMs') return String(time)
  if (format === 'rfc3339') return iso
  if (format === 'rfc3339Seconds') return `${iso.slice(0, 19)}Z`
  if (format === 'rfc3339Offset') return `${iso.slice(0, 19)}+00:00`
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(time)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  const day = `${part('year')}-${part('month')}-${part('day')}`
  return format === 'date' ? day : `${day} ${part('hour')}:${part('minute')}:${part('second')}`
}
