import type { ErrorTable } from '../catalogue/format/provider-file.ts'

/** How a header writes a time: from now, since 1970, or as a date. */
export type HeaderTime = NonNullable<ErrorTable['retryAfterHeaders']>[string]

const units = {
  seconds: (value: number) => value * 1000,
  milliseconds: (value: number) => value,
  unix: (value: number, now: number) => value * 1000 - now,
  unixMs: (value: number, now: number) => value - now,
}

/** A longer wait of a provider is limited to a day. */
const waitMaxMs = 86_400_000

/** Returns the milliseconds from now until the time in a header, from 0 to a day; undefined if it has none. */
export function waitUntilMs(header: string | undefined, format: HeaderTime, now: number): number | undefined {
  const text = header?.trim() ?? ''
  const wait = format === 'date' ? Date.parse(text) - now : numberIn(text, format, now)
  return Number.isFinite(wait) ? Math.min(Math.max(0, Math.ceil(wait)), waitMaxMs) : undefined
}

function numberIn(text: string, format: Exclude<HeaderTime, 'date'>, now: number): number {
  return isNumber(text) ? units[format](Number(text), now) : Number.NaN
}

/** Returns the wait of `Retry-After` (RFC 9110, 10.2.3): seconds or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  return text === '' ? undefined : waitUntilMs(text, isNumber(text) ? 'seconds' : 'date', now)
}

function isNumber(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text)
}
