import type { RejectedRecords } from '../kind.ts'
import type { RecordRow } from './rows.ts'
import type { Refusal } from './table-database.ts'

/** Maximum number of statements for one message: enough to find several bad records, and few when all are bad. */
const callsMax = 64

/**
 * Stores each half of the records that cannot be stored together, so that a bad record fails alone. What is left after
 * some calls, or at a time, is rejected together, to be tried again apart from the others.
 *
 * @param store returns what the database refused
 * @param options.refusal why all of them together were not stored
 */
export async function storeEach(
  records: readonly RecordRow[],
  store: (records: readonly RecordRow[]) => Promise<Refusal | undefined>,
  { refusal: first, until }: { refusal: Refusal; until: number },
): Promise<{ stored: number; rejected: RejectedRecords[] }> {
  const rejected: RejectedRecords[] = []
  let [stored, calls] = [0, 0]
  const reject = (some: readonly RecordRow[], { result: { outcome, ...result } }: Refusal) => {
    const isRefused = some.length === 1 && outcome === 'refused'
    const entries = some.map(({ entry }) => entry).sort((a, b) => a - b)
    rejected.push({ ...result, entries, outcome: isRefused ? 'refused' : 'retry' })
  }
  // The largest first, so that all parts of the message get their share of the calls.
  const refused = [{ some: records, refusal: first }]
  for (let next = refused.shift(); next; next = refused.shift()) {
    const { some, refusal } = next
    if (some.length === 1 || !refusal.isAboutData || calls >= callsMax || performance.now() > until) {
      reject(some, refusal)
      continue
    }
    const middle = Math.ceil(some.length / 2)
    for (const half of [some.slice(0, middle), some.slice(middle)]) {
      calls++
      const answer = await store(half)
      if (answer) refused.push({ some: half, refusal: answer })
      else stored += half.length
    }
  }
  return { stored, rejected }
}
