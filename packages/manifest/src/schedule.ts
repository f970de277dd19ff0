import { Cron } from 'croner'

/** What a cron expression means, or why it means nothing. */
export type ScheduleCheck =
  | {
      valid: true
      /** The shortest time between two ticks, in milliseconds, over the whole pattern and not around any moment. */
      leastIntervalMs: number
    }
  | { valid: false; reason: 'syntax' | 'never-fires'; message: string }

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const PATTERN_LENGTH_MAX = 200
const NAMES = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b/gi

/** A leap year's first day. The year has every day of every month, so a standard pattern that ever fires does in it. */
const EPOCH = new Date('2000-01-01T00:00:00Z')
/** Callers request ticks after a time, so the epoch itself counts. */
const BEFORE_EPOCH = new Date(EPOCH.getTime() - MINUTE_MS)
/**
 * To the end of March of the next year: the turn of the year, and from each day of a short February to that of March.
 */
const HORIZON = new Date('2001-04-01T00:00:00Z')

/**
 * Whether `cron` is a standard expression of five fields (minute, hour, day of month, month, day of week; lists,
 * ranges, steps and English names) that ever fires, in UTC, and how close two ticks can be. Where both day of month
 * and day of week are restricted, either of them fires (POSIX crontab). Answers the same whatever the date.
 */
export function validateSchedule(cron: string): ScheduleCheck {
  const fields = cron.trim().split(/\s+/)
  const isStandard = cron.length <= PATTERN_LENGTH_MAX && /^[\d*,/\s-]*$/.test(cron.replace(NAMES, ''))
  if (fields.length !== 5 || !isStandard) {
    return { valid: false, reason: 'syntax', message: 'it is not a cron expression of five fields' }
  }
  try {
    parse(cron)
  } catch (cause) {
    return { valid: false, reason: 'syntax', message: describeSyntax(cause) }
  }
  if (parse(cron, HORIZON).nextRun(BEFORE_EPOCH) === null) {
    return { valid: false, reason: 'never-fires', message: 'no month that it names has the day that it names' }
  }
  return { valid: true, leastIntervalMs: leastInterval(fields) }
}

/**
 * Returns the first tick after `after`, in UTC.
 *
 * @throws RangeError if `cron` is not a schedule that fires; check it with `validateSchedule` first
 */
export function nextTick(cron: string, after: Date): Date {
  let next: Date | null
  try {
    next = parse(cron).nextRun(after)
  } catch (cause) {
    throw new RangeError(`no schedule: ${cron.slice(0, PATTERN_LENGTH_MAX)}`, { cause })
  }
  if (next === null) throw new RangeError(`never fires: ${cron.slice(0, PATTERN_LENGTH_MAX)}`)
  return next
}

/**
 * Returns the shortest interval between two ticks of a schedule that repeats within a day at hours that it does not
 * name, in milliseconds: of every ten minutes, every hour or every six hours. Undefined for all other schedules, such
 * as "at 02:00" or "every ten minutes from 9 to 17".
 *
 * @throws RangeError if `cron` is not a schedule that fires; check it with `validateSchedule` first
 */
export function repeatInterval(cron: string): number | undefined {
  const check = validateSchedule(cron)
  if (!check.valid) throw new RangeError(`no schedule: ${cron.slice(0, PATTERN_LENGTH_MAX)}`)
  const [, hour = ''] = cron.trim().split(/\s+/)
  return /^\*(?:\/\d+)?$/.test(hour) && check.leastIntervalMs < DAY_MS ? check.leastIntervalMs : undefined
}

/** A fixed offset instead of a time zone: no daylight saving, and four times as fast. */
function parse(cron: string, stopAt?: Date): Cron {
  return new Cron(cron, { mode: '5-part', utcOffset: 0, sloppyRanges: true, ...(stopAt && { stopAt }) })
}

/**
 * Minutes, hours and days are independent of each other in UTC. The answer is the least distance between two times of
 * one day, or between the last time of a day and the first of the next day that fires; at most a year.
 */
function leastInterval([minute, hour, dayOfMonth, month, dayOfWeek]: string[]): number {
  const minutes = firings(`${minute} 0 * * *`, HOUR_MS, MINUTE_MS)
  const hours = firings(`0 ${hour} * * *`, DAY_MS, HOUR_MS)
  const times = hours.flatMap((at) => minutes.map((past) => at * 60 + past))
  let least = Number.POSITIVE_INFINITY
  const [first = 0] = times
  let last = first
  for (const time of times.slice(1)) {
    least = Math.min(least, (time - last) * MINUTE_MS)
    last = time
  }
  const lastToFirst = DAY_MS - (last - first) * MINUTE_MS
  if (lastToFirst >= least) return least

  // Every date falls on every weekday within some years: where either fires, two days come to stand side by side.
  const isEither = dayOfMonth !== '*' && dayOfWeek !== '*'
  const days = isEither ? 1 : leastDays(`0 0 ${dayOfMonth} ${month} ${dayOfWeek}`)
  return Math.min(least, lastToFirst + (days - 1) * DAY_MS)
}

/** When `pattern` fires in the first `spanMs` of the epoch, in units of `unitMs`. */
function firings(pattern: string, spanMs: number, unitMs: number): number[] {
  const cron = parse(pattern, new Date(EPOCH.getTime() + spanMs))
  const found: number[] = []
  for (let tick = cron.nextRun(BEFORE_EPOCH); tick !== null; tick = cron.nextRun(tick)) {
    found.push((tick.getTime() - EPOCH.getTime()) / unitMs)
  }
  return found
}

/** The least distance of two days that fire, in days; 365 where it is a year or more. */
function leastDays(pattern: string): number {
  const cron = parse(pattern, HORIZON)
  let least = 365
  let previous: number | undefined
  for (let day = cron.nextRun(BEFORE_EPOCH); day !== null && least > 1; day = cron.nextRun(day)) {
    if (previous !== undefined) least = Math.min(least, Math.round((day.getTime() - previous) / DAY_MS))
    previous = day.getTime()
  }
  return least
}

function describeSyntax(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : ''
  return message.replace(/^CronPattern: /, '').replace(/\.$/, '') || 'it is not a cron expression of five fields'
}
