import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import type { Kysely, Transaction } from 'kysely'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Tables } from '../kernel/db/index.ts'
import type { JobQueue, PendingJob } from '../kernel/jobs/index.ts'
import type { OpenBackup } from './archive-reader.ts'
import { fileOfTable, jobsName } from './manifest.ts'
import { UnusableBackup } from './problems.ts'
import { storedTables } from './stored-tables.ts'

const jobsAtOnce = 500

/** Fills the tables of the backup, which must be those of the schema, column by column. */
export async function copyTables(
  client: pg.Client,
  { manifest, read }: OpenBackup,
  signal: AbortSignal,
): Promise<void> {
  const expected = new Map((await storedTables(client)).map(({ name, columns }) => [name, columns.toSorted().join()]))
  for (const { name, columns } of manifest.tables)
    if (expected.get(name) !== columns.toSorted().join()) throw foreign(name)
  const missing = [...expected.keys()].find((name) => !manifest.tables.some((table) => table.name === name))
  if (missing !== undefined) throw foreign(missing)
  for (const { name, columns, rows, bytes, sha256 } of manifest.tables) {
    const list = columns.map(pg.escapeIdentifier).join(', ')
    // Opened first: a COPY that has begun waits until somebody feeds or ends it.
    const content = await read(fileOfTable(name), { bytes, sha256 })
    const into = client.query(copyFrom(`copy mortise.${pg.escapeIdentifier(name)} (${list}) from stdin`))
    await pipeline(content, into, { signal })
    if (into.rowCount !== rows)
      throw new UnusableBackup(`The file is damaged: ${name} has ${into.rowCount} rows instead of ${rows}.`)
  }
}

/** Enqueues the jobs that waited or ran, in their order. Answers queues that are no more. */
export async function putJobsBack(
  tx: Transaction<unknown>,
  queue: JobQueue,
  { manifest, read }: OpenBackup,
): Promise<string[]> {
  const unknown = new Set<string>()
  let batch: PendingJob[] = []
  const flush = async () => {
    for (const name of await queue.putBack({ sql: tx as unknown as Kysely<Tables> }, batch)) unknown.add(name)
    batch = []
  }
  const content = await read(jobsName, manifest.jobs)
  const lines = createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })
  // Its own errors never reach the loop: readline knows nothing of them.
  const failed = new Promise<never>((_, reject) => content.once('error', reject))
  failed.catch(() => undefined)
  const ended = new Promise<void>((resolve) => content.once('end', resolve))
  const all = async () => {
    for await (const line of lines) {
      if (batch.push(JSON.parse(line) as PendingJob) >= jobsAtOnce) await flush()
    }
    await ended
    await flush()
  }
  await Promise.race([all(), failed])
  return [...unknown]
}

function foreign(table: string): UnusableBackup {
  return new UnusableBackup(
    `The backup does not fit: its table ${table} is not the one of these migrations. Restore it with the release that made it.`,
  )
}
