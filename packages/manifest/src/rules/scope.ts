import type { CatalogueEntry } from '../catalogue.ts'
import type { Report } from '../report.ts'
import { type ScheduleCheck, validateSchedule } from '../schedule.ts'
import type { SourceLocation } from '../source/located.ts'
import type { MissingScopes } from './missing-scopes.ts'

/** What the rules know in addition to the text: how to report, and what applies to the whole manifest. */
export interface Scope {
  report: Report
  /** Names of the project's destinations; `undefined`: not checked. */
  destinations: ReadonlySet<string> | undefined
  /** OAuth scopes that the provider apps of the project lack; `undefined`: not checked. */
  missingScopes: MissingScopes | undefined
  /** Least interval of read schedules, in milliseconds. */
  readIntervalMinMs: number
  /** Reports a schedule that is none, and answers its least interval where it is one. */
  scheduleInterval(cron: string, place: SourceLocation): number | undefined
}

/** What the rules of one integration know of its provider. */
export interface IntegrationScope extends Scope {
  provider: string
  module: string | undefined
  /** `undefined` if the catalog does not have the provider. */
  entry: CatalogueEntry | undefined
}

/** Validating an unusual pattern takes about 2 ms. */
const SCHEDULES_MAX = 2000

/** Checks each different schedule of a manifest once. */
export function scheduleIntervals(report: Report): Scope['scheduleInterval'] {
  const checks = new Map<string, ScheduleCheck>()
  return (cron, place) => {
    let check = checks.get(cron)
    if (check === undefined) {
      if (checks.size === SCHEDULES_MAX) {
        report('schedule-limit', place, {
          message: `The manifest has more than ${SCHEDULES_MAX} different schedules.`,
          suggestion: 'Let objects share schedules, or deploy the manifest in parts.',
        })
        return undefined
      }
      check = validateSchedule(cron)
      checks.set(cron, check)
    }
    if (check.valid) return check.leastIntervalMs
    const isSyntax = check.reason === 'syntax'
    report(isSyntax ? 'schedule-valid-cron' : 'schedule-never-fires', place, {
      message: isSyntax
        ? `The schedule cannot be read: ${check.message}.`
        : `The schedule never fires: ${check.message}.`,
      suggestion: isSyntax
        ? 'Write five fields: minute, hour, day of month, month, day of week. `*/30 * * * *` is every half hour.'
        : 'Choose a day that one of its months has.',
      value: cron,
    })
    return undefined
  }
}

/** Reports a destination that the project does not have. */
export function checkDestination({ report, destinations }: Scope, name: string, place: SourceLocation): void {
  if (name === '' || destinations === undefined || destinations.has(name)) return
  report('destination-not-found', place, {
    message: `The project has no destination of the name ${JSON.stringify(name.slice(0, 80).toWellFormed())}.`,
    suggestion: 'Create the destination, or correct the name. Until it exists, messages are queued.',
    value: name,
  })
}
