import { type PointerEvent, useSyncExternalStore } from 'react'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' })
const formats = new Map<'medium' | 'long', Intl.DateTimeFormat>()

/** The date and time in the reader's zone. A format is made when it is needed, because that takes milliseconds. */
function inZone(time: Date, timeStyle: 'medium' | 'long'): string {
  const format = formats.get(timeStyle) ?? new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle })
  formats.set(timeStyle, format)
  return format.format(time)
}

/** "3 min. ago". The present is within 5 seconds. */
export function relativeTime(time: Date, now: number): string {
  const seconds = Math.round((time.getTime() - now) / 1_000)
  if (Math.abs(seconds) < 5) return 'now'
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

// One timer for all times of a page.
const tickMs = 5_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const notify of listeners) notify()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current time, renewed every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** A time, relative to now or absolute, in the reader's zone; both, and UTC, on hover. */
export function Time({ at, format = 'relative' }: { at: string | Date | undefined; format?: 'relative' | 'absolute' }) {
  // Drawn again by the timer; what happened since then is not in the future.
  useNow()
  if (at === undefined) return <span className="muted">–</span>
  const time = typeof at === 'string' ? new Date(at) : at
  if (Number.isNaN(time.getTime())) return <span>{String(at)}</span>
  return (
    <time className="number" dateTime={time.toISOString()} onPointerEnter={addTitle}>
      {format === 'relative' ? relativeTime(time, Date.now()) : inZone(time, 'medium')}
    </time>
  )
}

/** Formatting takes longer than drawing a row, and few times are pointed at. */
function addTitle({ currentTarget: shown }: PointerEvent<HTMLTimeElement>): void {
  const time = new Date(shown.dateTime)
  shown.title = `${inZone(time, 'long')}\n${time.toISOString()}`
}

/** "1.2 s", "340 ms", "3 min 5 s". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
