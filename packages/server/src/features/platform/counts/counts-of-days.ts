import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Counts, countNames, noCounts } from './model.ts'
import { listCounts } from './store.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Returns the counts of a project in the current hour and the 23 before it, and in the 24 hours before those. */
export async function countsOfDays(db: ProjectDb, now: Date): Promise<{ lastDay: Counts; dayBefore: Counts }> {
  const end = (Math.floor(now.getTime() / hourMs) + 1) * hourMs
  const [middle, from] = [end - dayMs, end - 2 * dayMs]
  const range = { interval: 'hour' as const, from: new Date(from), to: new Date(end), length: 48 }
  const days = { lastDay: noCounts(), dayBefore: noCounts() }
  for (const { startTime, ...counts } of await listCounts(db, range, {})) {
    const day = startTime.getTime() < middle ? days.dayBefore : days.lastDay
    for (const name of countNames) day[name] += counts[name]
  }
  return days
}
