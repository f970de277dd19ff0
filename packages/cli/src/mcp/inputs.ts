import { z } from 'zod'
import { parseTime } from '../parse-time.ts'

/** Arguments that several tools have. */

export const text = (description: string) => z.string().min(1).max(512).describe(description)
export const optional = (description: string) => text(description).optional()

export const cursor = z.string().min(1).max(4_096).optional().describe('where a cut result continues, as it said')

const rowsMax = 100
const rowsDefault = 25

/** Arguments of every list. */
export const paging = {
  limit: z.int().min(1).max(rowsMax).default(rowsDefault).describe('most rows of one result'),
  cursor,
}

/** Arguments of a list of what happened. */
export const period = {
  since: optional('from this time on: 2026-01-31T12:00:00Z, or 2h for two hours ago'),
  until: optional('before this time, written like since'),
}

/** The period as queries of the service have it. @throws UsageError */
export function periodQuery({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  return {
    createdAfter: since === undefined ? undefined : parseTime(since),
    createdBefore: until === undefined ? undefined : parseTime(until),
  }
}
