import type { ProjectDb } from '../../../kernel/db/index.ts'
import {
  countDeadLetters,
  type DestinationRow,
  deadLettersCounted,
  listDestinationRows,
} from '../../messaging/destinations/index.ts'
import { countOrphans, countWaiting } from '../../messaging/messages/index.ts'
import { cappedCount, type Overview } from './model.ts'

type Backlog = Overview['backlog']

const destinationsMax = 200
const waitingMax = 10_000
/** Of many destinations, fewer messages of each are counted, so that the time is limited. */
const waitingMaxOfAll = 100_000
const waitingMin = 1_000

/** Counts the messages that wait for each destination. */
export async function backlogOf(db: ProjectDb): Promise<Backlog> {
  const rows = await listDestinationRows(db, { limit: destinationsMax })
  const max = Math.min(waitingMax, Math.max(waitingMin, Math.floor(waitingMaxOfAll / Math.max(rows.length, 1))))
  const ids = rows.map(({ id }) => id)
  const found = await countWaiting(db, ids, max + 1)
  const dead = await countDeadLetters(db, ids, deadLettersCounted + 1)
  const waiting = new Map(found.map((one) => [one.destinationId, one]))
  const orphans = await countOrphans(db, waitingMax + 1)
  const orphanCount = orphans.reduce((sum, { count }) => sum + count, 0)
  const destinations: Backlog['destinations'] = [
    ...rows.map((row) => {
      const { count = 0, oldestTime = null } = waiting.get(row.id) ?? {}
      return {
        destinationId: row.id,
        destinationName: row.name,
        state: stateOf(row),
        ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
        waiting: cappedCount(count, max),
        ...(oldestTime && { oldestTime }),
        deadLetters: cappedCount(dead.get(row.id) ?? 0, deadLettersCounted),
      }
    }),
    ...orphans.map(({ destinationName, count, oldestTime }) => ({
      destinationName,
      state: 'missing' as const,
      waiting: { count: Math.min(count, waitingMax), capped: orphanCount > waitingMax },
      oldestTime,
      deadLetters: { count: 0, capped: false },
    })),
  ]
  const oldest = destinations.flatMap(({ oldestTime }) => (oldestTime ? [new Date(oldestTime).getTime()] : []))
  return {
    waiting: {
      count: destinations.reduce((sum, { waiting }) => sum + waiting.count, 0),
      capped: destinations.some(({ waiting }) => waiting.capped),
    },
    deadLetters: {
      count: destinations.reduce((sum, { deadLetters }) => sum + deadLetters.count, 0),
      capped: destinations.some(({ deadLetters }) => deadLetters.capped),
    },
    ...(oldest.length > 0 && { oldestTime: new Date(oldest.reduce((a, b) => Math.min(a, b))) }),
    destinations,
  }
}

function stateOf({ disabled_time, failure_count }: DestinationRow) {
  return disabled_time !== null ? ('disabled' as const) : failure_count > 0 ? ('failing' as const) : ('active' as const)
}
