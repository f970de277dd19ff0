import type { Fields } from '../fields.ts'
import type { Backfill } from '../manifest.ts'
import { present } from '../present.ts'
import type { IntegrationScope } from './scope.ts'

const LARGE_DAYS = 180
const GOOGLE_CALENDAR_DAYS_MAX = 28

/** `backfill` of a read object, with the limits that single providers have. */
export function readBackfill(scope: IntegrationScope, object: Fields, objectName: string): Backfill | undefined {
  const { report } = scope
  const backfill = object.map('backfill', ['defaultPeriod'])
  if (backfill === undefined) return undefined
  const period = backfill.map('defaultPeriod', ['days', 'fullHistory'])
  if (period === undefined || (!period.has('days') && !period.has('fullHistory'))) {
    if (period !== undefined || !backfill.has('defaultPeriod')) {
      report('backfill-struct-valid', backfill.at('defaultPeriod'), {
        message: 'The backfill does not say how far back it goes.',
        suggestion: 'Write `defaultPeriod: {days: 30}` or `defaultPeriod: {fullHistory: true}`, or remove `backfill`.',
      })
    }
    return undefined
  }
  if (period.has('days') && period.has('fullHistory')) {
    report('backfill-exclusive', period.place, {
      message: 'The backfill has both `days` and `fullHistory`; `fullHistory: true` wins over `days`.',
      suggestion: 'Keep one of the two.',
    })
  }
  const days = period.integer('days', 'backfill-struct-valid', 0)
  const fullHistory = period.flag('fullHistory', 'backfill-struct-valid')
  checkProviderLimits(scope, period, objectName, days, fullHistory)
  if (fullHistory || (days ?? 0) > LARGE_DAYS) {
    report('large-backfill-risk', period.at(fullHistory ? 'fullHistory' : 'days'), {
      message: `A backfill of ${fullHistory ? 'all history' : `${days} days`} can take long and use up rate limits.`,
      suggestion: `Read ${LARGE_DAYS} days or less where that is enough.`,
    })
  }
  return { defaultPeriod: present({ days, fullHistory }) }
}

function checkProviderLimits(
  { report, provider, module }: IntegrationScope,
  period: Fields,
  objectName: string,
  days: number | undefined,
  fullHistory: boolean | undefined,
): void {
  const isCalendar = provider.toLowerCase() === 'googlecalendar' || (provider === 'google' && module === 'calendar')
  if (isCalendar && objectName === 'events') {
    const suggestion = `Write \`days: ${GOOGLE_CALENDAR_DAYS_MAX}\` or less.`
    if (fullHistory) {
      const message = 'Events of Google Calendar cannot be read back to their beginning.'
      report('google-calendar-no-full-history', period.at('fullHistory'), { message, suggestion })
    }
    if ((days ?? 0) > GOOGLE_CALENDAR_DAYS_MAX) {
      const message = `Events of Google Calendar can be read ${GOOGLE_CALENDAR_DAYS_MAX} days back, not ${days}.`
      report('google-calendar-max-days', period.at('days'), { message, suggestion, value: days })
    }
  }
  if (provider === 'snowflake' && period.has('days')) {
    report('snowflake-only-full-history', period.at('days'), {
      message: 'Objects of snowflake have no time to count days by.',
      suggestion: 'Write `fullHistory: true` instead of `days`.',
      value: days,
    })
  }
}
