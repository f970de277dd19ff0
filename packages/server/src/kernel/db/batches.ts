import pg from 'pg'

/** Runs a piece of work together with others of its key. */
export type Batched<I, O> = (key: string, item: I) => Promise<O>

interface Waiting<I, O> {
  item: I
  done: (result: O) => void
  failed: (error: unknown) => void
}

interface Line<I, O> {
  waiting: Waiting<I, O>[]
  running: number
  isScheduled: boolean
}

/** Number of batches of one key that run at the same time. The next pieces wait, and so their batch is larger. */
const runningMax = 2

/**
 * Batches small statements of concurrent requests. Pieces of work of one key that arrive in the same turn of the event
 * loop, or while two batches run, share a statement, a round trip and a commit. A piece that comes alone does not wait.
 * If PostgreSQL rejects a batch, each of its pieces runs again alone, so that one of them cannot fail the others. If
 * the connection broke, the batch may have been committed, and all its pieces fail.
 *
 * @param run does all or nothing, and returns the results in the order of the pieces
 */
export function createBatches<I, O>({
  itemsMax,
  run,
}: {
  itemsMax: number
  run: (key: string, items: I[]) => Promise<O[]>
}): Batched<I, O> {
  const lines = new Map<string, Line<I, O>>()

  function start(key: string, line: Line<I, O>): void {
    line.isScheduled = false
    while (line.waiting.length > 0 && line.running < runningMax) {
      line.running++
      void settle(key, line.waiting.splice(0, itemsMax)).then(() => {
        line.running--
        if (line.waiting.length > 0) start(key, line)
        else if (line.running === 0 && !line.isScheduled) lines.delete(key)
      })
    }
  }

  async function settle(key: string, batch: Waiting<I, O>[]): Promise<void> {
    try {
      const results = await run(
        key,
        batch.map(({ item }) => item),
      )
      for (const [index, { done }] of batch.entries()) done(results[index] as O)
    } catch (error) {
      const [first, ...others] = batch
      if (others.length === 0) first?.failed(error)
      else if (isRejected(error)) for (const one of batch) await settle(key, [one])
      else for (const { failed } of batch) failed(error)
    }
  }

  return (key, item) =>
    new Promise((done, failed) => {
      let line = lines.get(key)
      if (!line) {
        line = { waiting: [], running: 0, isScheduled: false }
        lines.set(key, line)
      }
      line.waiting.push({ item, done, failed })
      if (line.isScheduled || line.running === runningMax) return
      line.isScheduled = true
      setImmediate(start, key, line)
    })
}

/** Whether the server reported that a statement failed, and so rolled it back. */
function isRejected(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
