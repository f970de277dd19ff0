import { sql } from 'kysely'
import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { chunkSize, packIds, unpackIds } from './id-chunk.ts'
import { mergedList, type SortedIds } from './merge-ids.ts'

/**
 * What a stored list of ids is:
 *
 * - `delivered`: records that reads have delivered since the last check began, as they were committed.
 * - `expected`: the same, sorted for a check that is running.
 * - `known`: all records that were delivered before, as of the last check. Sorted.
 * - `missing`: known records that the last check did not find for the first time. Sorted.
 * - `listed`: what the provider has listed to the check that is running. Sorted.
 * - `kept`: what becomes `known` when the comparison ends. Sorted.
 * - `gone`: what the provider did not list, `run` 1 for the first time, `run` 2 for the second.
 */
export type IdPart = 'delivered' | 'expected' | 'known' | 'missing' | 'listed' | 'kept' | 'gone'

/** An object of an installation. */
export interface ObjectKey {
  installationId: string
  objectName: string
}

/**
 * Stores the ids of delivered records, in the transaction that delivers them. Stores none if the object is no longer
 * compared.
 */
export async function addDelivered(
  tx: ProjectDb,
  { newId }: { newId: NewId },
  key: ObjectKey,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into delivered_ids (project_id, id, installation_id, object_name, part, ids)
    select project_id, ${newId()}, installation_id, object_name, 'delivered', ${packIds(ids)}
      from deletion_checks
     where project_id = ${tx.projectId} and installation_id = ${key.installationId} and object_name = ${key.objectName}
       for key share`.execute(tx.sql)
}

/** A run of fewer chunks is merged with the ids that follow. A comparison has one chunk of each run in memory. */
const runChunksMax = 8
/** A statement for each chunk would take as long as the merge. */
const chunksPerStatement = 16
/** Number of ids that are sorted in memory. */
export const runSize = runChunksMax * chunkSize

/**
 * Sorts ids and stores them. They continue the last run if they follow its ids: many providers list by id, and one long
 * run needs no merge. They are merged into the last run if that is a short one. Otherwise they become a new run.
 */
export async function addToRuns(
  tx: ProjectDb,
  services: { newId: NewId },
  key: ObjectKey,
  part: IdPart,
  ids: readonly string[],
): Promise<void> {
  // In the order of `compareIds`, and twice as fast as with it.
  const sorted = [...ids].sort()
  const [first] = sorted
  if (first === undefined) return
  const { run, chunk, ids: before } = await reopenRun(tx, key, part, first)
  const writer = new ChunkWriter(tx, services, key, { part, run, firstChunk: chunk })
  for (const id of before.length === 0 ? sorted : before.concat(sorted).sort()) {
    const full = writer.add(id)
    if (full) await full
  }
  await writer.end()
}

/** Returns where ids from `first` on are stored, and the ids there to store with them, which it deletes. */
async function reopenRun(
  tx: ProjectDb,
  key: ObjectKey,
  part: IdPart,
  first: string,
): Promise<{ run: number; chunk: number; ids: string[] }> {
  const { rows } = await sql<{ run: number; chunk: number; ids: Buffer }>`
    select run, chunk, ids from delivered_ids where ${isPart(tx, key, part)}
     order by run desc, chunk desc limit 1`.execute(tx.sql)
  const [last] = rows
  if (last === undefined) return { run: 0, chunk: 0, ids: [] }
  const { run, chunk } = last
  const lastIds = unpackIds(last.ids)
  const follows = (lastIds.at(-1) ?? '') < first
  if (follows && lastIds.length >= chunkSize) return { run, chunk: chunk + 1, ids: [] }
  if (!follows && chunk + 1 >= runChunksMax) return { run: run + 1, chunk: 0, ids: [] }
  const from = follows ? chunk : 0
  const deleted = await sql<{ ids: Buffer }>`
    delete from delivered_ids where ${isPart(tx, key, part)} and run = ${run} and chunk >= ${from}
    returning ids`.execute(tx.sql)
  return { run, chunk: from, ids: deleted.rows.flatMap((row) => unpackIds(row.ids)) }
}

/** Writes sorted ids as chunks of one run. */
export class ChunkWriter {
  readonly #tx: ProjectDb
  readonly #newId: NewId
  readonly #key: ObjectKey
  readonly #of: { part: IdPart; run: number }
  readonly #size: number
  #ids: string[] = []
  #chunk: number
  #packed: { chunk: number; ids: Buffer }[] = []
  count = 0

  constructor(
    tx: ProjectDb,
    { newId }: { newId: NewId },
    key: ObjectKey,
    of: { part: IdPart; run: number; size?: number; firstChunk?: number },
  ) {
    this.#tx = tx
    this.#newId = newId
    this.#key = key
    this.#of = of
    this.#size = of.size ?? chunkSize
    this.#chunk = of.firstChunk ?? 0
  }

  /** Adds an id. Returns a promise when chunks must be written first. */
  add(id: string): Promise<void> | undefined {
    this.#ids.push(id)
    this.count++
    if (this.#ids.length >= this.#size) this.#pack()
    return this.#packed.length >= chunksPerStatement ? this.#write() : undefined
  }

  /** Writes what is left. */
  async end(): Promise<void> {
    if (this.#ids.length > 0) this.#pack()
    if (this.#packed.length > 0) await this.#write()
  }

  #pack(): void {
    this.#packed.push({ chunk: this.#chunk++, ids: packIds(this.#ids) })
    this.#ids = []
  }

  async #write(): Promise<void> {
    const packed = this.#packed
    this.#packed = []
    const of = {
      project_id: this.#tx.projectId,
      installation_id: this.#key.installationId,
      object_name: this.#key.objectName,
      part: this.#of.part,
      run: this.#of.run,
    }
    const rows = packed.map((chunk) => ({ ...of, id: this.#newId(), ...chunk }))
    await this.#tx.sql.insertInto('delivered_ids').values(rows).execute()
  }
}

/**
 * Takes lists that reads have committed until they hold `max` ids or more, or none is left. Deletes what it returns.
 */
export async function takeDelivered(tx: ProjectDb, key: ObjectKey, max: number): Promise<string[]> {
  let ids: string[] = []
  while (ids.length < max) {
    const { rows } = await sql<{ ids: Buffer }>`
      delete from delivered_ids where (project_id, id) in (
        select project_id, id from delivered_ids
         where ${isPart(tx, key, 'delivered')} limit 16)
      returning ids`.execute(tx.sql)
    if (rows.length === 0) break
    ids = ids.concat(...rows.map((row) => unpackIds(row.ids)))
  }
  return ids
}

/** Returns the ids of a part, sorted. */
export async function sortedIds(tx: ProjectDb, key: ObjectKey, part: IdPart): Promise<SortedIds> {
  const { rows } = await sql<{ run: number }>`
    select distinct run from delivered_ids where ${isPart(tx, key, part)} order by run`.execute(tx.sql)
  // Of a single run, several chunks are in memory: that costs no more than one chunk of several runs.
  const limit = rows.length === 1 ? chunksPerStatement : 1
  const runs = rows.map(({ run }): SortedIds => {
    let chunk = -1
    const waiting: Buffer[] = []
    return {
      async next() {
        if (waiting.length === 0) {
          const found = await sql<{ chunk: number; ids: Buffer }>`
            select chunk, ids from delivered_ids
             where ${isPart(tx, key, part)} and run = ${run} and chunk > ${chunk}
             order by chunk limit ${limit}`.execute(tx.sql)
          chunk = found.rows.at(-1)?.chunk ?? chunk
          waiting.push(...found.rows.map(({ ids }) => ids))
        }
        const ids = waiting.shift()
        return ids && unpackIds(ids)
      },
    }
  })
  const [only] = runs
  return only !== undefined && runs.length === 1 ? only : mergedList(runs)
}

export async function deleteParts(tx: ProjectDb, key: ObjectKey, parts: readonly IdPart[]): Promise<void> {
  await sql`
    delete from delivered_ids
     where project_id = ${tx.projectId} and installation_id = ${key.installationId} and object_name = ${key.objectName}
       and part = any(${parts})`.execute(tx.sql)
}

export async function renamePart(tx: ProjectDb, key: ObjectKey, from: IdPart, to: IdPart): Promise<void> {
  await sql`update delivered_ids set part = ${to} where ${isPart(tx, key, from)}`.execute(tx.sql)
}

/** Makes what a failed check has not reported part of what the next one compares. */
export async function restoreGone(tx: ProjectDb, key: ObjectKey): Promise<void> {
  await sql`
    update delivered_ids
       set part = case when run = 2 then 'missing' else 'expected' end,
           run = case when run = 2 then 1
                      else (select coalesce(max(run) + 1, 0) from delivered_ids where ${isPart(tx, key, 'expected')}) end
     where ${isPart(tx, key, 'gone')}`.execute(tx.sql)
}

/** A stored list of `gone`. */
export interface GoneIds {
  id: string
  /** 1: not listed for the first time. 2: for the second. */
  times: number
  chunk: number
  ids: string[]
}

/** Returns the next list of records that the provider did not list. */
export async function nextGone(db: ProjectDb, key: ObjectKey): Promise<GoneIds | undefined> {
  const { rows } = await sql<{ id: string; run: number; chunk: number; ids: Buffer }>`
    select id, run, chunk, ids from delivered_ids where ${isPart(db, key, 'gone')}
     order by run desc, chunk limit 1`.execute(db.sql)
  const [row] = rows
  return row && { id: row.id, times: row.run, chunk: row.chunk, ids: unpackIds(row.ids) }
}

export async function deleteList(tx: ProjectDb, id: string): Promise<void> {
  await sql`delete from delivered_ids where project_id = ${tx.projectId} and id = ${id}`.execute(tx.sql)
}

function isPart(db: ProjectDb, { installationId, objectName }: ObjectKey, part: IdPart) {
  return sql`project_id = ${db.projectId} and installation_id = ${installationId} and object_name = ${objectName}
    and part = ${part}`
}
