import type { Static } from 'typebox'
import { isId, type NewId, type ProjectDb } from '../../../kernel/db/index.ts'
import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import { asJson } from './as-json.ts'
import { type CorrectedMessage, correctedMessage, recordIssues, recordsOf } from './correct-records.ts'
import type { DeadLetterSelection, DeadLetterWithRecords } from './dead-letter-model.ts'
import { findDeadLetter, knownMessageIds, type StoredDeadLetter, updateDeadLetterRecords } from './dead-letter-store.ts'
import { destinationIdOf } from './destination-id-of.ts'
import { replayMessages } from './job-references.ts'
import { DeadLetterNotFound } from './problems.ts'
import type { MessageReplay, Selection } from './replay-model.ts'
import { insertReplay } from './replay-store.ts'

/** @throws DeadLetterNotFound */
export async function foundDeadLetter(
  db: ProjectDb,
  id: string,
  options?: { lock: boolean },
): Promise<StoredDeadLetter> {
  const found = isId(id) ? await findDeadLetter(db, id, options) : undefined
  if (!found) throw new DeadLetterNotFound()
  return found
}

/** Shows a dead letter with its records. */
export function deadLetterWithRecords(stored: StoredDeadLetter): Static<typeof DeadLetterWithRecords> {
  const { deadLetter, payload, originalRecords } = stored
  return {
    ...deadLetter,
    ...recordsIn('records', recordsOf(stored)),
    ...recordsIn('originalRecords', originalRecords),
    payload: asJson(payload.toString()),
  }
}

function recordsIn<N extends string>(name: N, records: Buffer | null | undefined) {
  return records ? { [name]: JSON.parse(records.toString()) as Record<string, unknown>[] } : {}
}

/**
 * Replaces the records of a dead letter. Those of before the first correction are kept.
 *
 * @throws DeadLetterNotFound, InvalidInput
 */
export function correctDeadLetter(
  db: ProjectDb,
  id: string,
  { records, by }: { records: readonly object[]; by: string },
): Promise<StoredDeadLetter> {
  return db.transaction(async (tx) => {
    const found = await foundDeadLetter(tx, id, { lock: true })
    const before = recordsOf(found)
    const { payload, result } = before ? checkedCorrection(found.payload, before, records) : refuseWithoutRecords()
    await updateDeadLetterRecords(tx, found.deadLetter.id, { payload, result, before: before ?? payload, by })
    return foundDeadLetter(tx, id)
  })
}

function refuseWithoutRecords(): never {
  const detail = 'This dead letter has no records that can be corrected, such as a notification.'
  const remedy = 'Send it again, or discard it.'
  throw new InvalidInput({ issues: [{ in: 'body', name: 'records', detail, remedy }] })
}

/** @throws InvalidInput */
function checkedCorrection(payload: Buffer, before: Buffer, records: readonly object[]): CorrectedMessage {
  const issues = recordIssues(JSON.parse(before.toString()) as object[], records)
  const corrected = issues.length > 0 ? undefined : correctedMessage(payload, records)
  if (corrected) return corrected
  if (issues.length === 0)
    issues.push({ in: 'body', name: 'records', detail: 'The records are too large for a message.' })
  throw new InvalidInput({ issues: issues.slice(0, 100) })
}

/** Dead letters that a request selects: by id, or all of a destination. */
export type SelectedDeadLetters = { ids: string[] } | { destinationId: string }

/** @throws InvalidInput with everything that is wrong */
export async function selectedDeadLetters(
  db: ProjectDb,
  { deadLetterIds, destination }: DeadLetterSelection,
): Promise<SelectedDeadLetters> {
  const issues: Issue[] = []
  if ((deadLetterIds === undefined) === (destination === undefined)) {
    const has = deadLetterIds === undefined ? 'none' : 'both'
    const detail = `The body must have exactly one of deadLetterIds and destination; it has ${has}.`
    throw new InvalidInput({ issues: [{ in: 'body', name: 'body', detail }] })
  }
  const ids = deadLetterIds?.map((id) => id.toLowerCase()) ?? []
  const known = ids.length === 0 ? new Set() : await knownMessageIds(db, ids.filter(isId))
  for (const [at, id] of ids.entries())
    if (!known.has(id)) {
      const name = `deadLetterIds[${at}]`
      issues.push({ in: 'body', name, value: id, detail: `${name} is not the id of a dead letter.` })
    }
  const destinationId = destination === undefined ? undefined : await destinationIdOf(db, destination)
  if (destination !== undefined && destinationId === undefined)
    issues.push({
      in: 'body',
      name: 'destination',
      value: destination,
      detail: 'destination names no destination of this project.',
      remedy: 'Give the id or name of one.',
    })
  if (issues.length > 0) throw new InvalidInput({ issues: issues.slice(0, 100) })
  if (destinationId !== undefined) return { destinationId }
  return { ids: [...new Set(ids)].sort() }
}

/** Starts a replay. */
export function startReplay(
  db: ProjectDb,
  { queue }: { queue: JobQueue },
  replay: { id: string; selection: Selection },
): Promise<MessageReplay> {
  return db.transaction(async (tx) => {
    const inserted = await insertReplay(tx, replay)
    await queue.enqueue(tx, replayMessages, { projectId: tx.projectId, replayId: replay.id }, replay.id)
    return inserted
  })
}

/** Sends dead letters again, in the background. */
export function redrive(
  db: ProjectDb,
  services: { queue: JobQueue; newId: NewId },
  selected: SelectedDeadLetters,
): Promise<MessageReplay> {
  const id = services.newId()
  // What fails from now on is not meant.
  const selection =
    'ids' in selected ? { ...selected, states: ['failed'] } : { ...selected, states: ['failed'], below: id }
  return startReplay(db, services, { id, selection })
}
