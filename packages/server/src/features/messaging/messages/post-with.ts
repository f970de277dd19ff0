import type { RawBuilder } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { deliveryJob } from '../destinations/index.ts'
import type { NewMessage } from './data-message.ts'
import type { Handover } from './handover.ts'
import type { ClaimedMessage } from './lease-store.ts'
import { insertMessagesWith } from './message-store.ts'
import { countPosted, type PostingServices, toInsert } from './post-messages.ts'

/** A message whose result is part of it. */
export type WholeMessage = Omit<NewMessage, 'result'>

/**
 * Posts messages to one name together with the change of a row, all in one statement. If a delivery run of this
 * node takes the messages over, it sends them now. Otherwise the run claims them later, or a job does.
 *
 * @param change an UPDATE that returns the row; without it, nothing is posted
 * @returns false if the row does not exist
 */
export async function postMessagesWith(
  db: ProjectDb,
  services: PostingServices & { handover: Handover },
  change: RawBuilder<unknown>,
  { destinationName, messages }: { destinationName: string; messages: WholeMessage[] },
): Promise<boolean> {
  const { queue, handover } = services
  const rows = toInsert(messages, services)
  const reservation = await handover.reserve(db.projectId, destinationName)
  let taken: ClaimedMessage[] = []
  let stored: Awaited<ReturnType<typeof insertMessagesWith>>
  try {
    stored = await insertMessagesWith(db, change, { destinationName, messages: rows, reservation })
    if (stored.isLeased && reservation) taken = rows.map((row) => claimedMessage(row, reservation.token))
  } finally {
    reservation?.end(taken)
  }
  const { isChanged, open, isLeased, copies } = stored
  if (!isChanged) return false
  countPosted(db, services, [...messages, ...copies.map(({ of }) => of)])
  if (isLeased) return true
  const deliveries = open
    .filter(({ name }) => !handover.claimAgain(db.projectId, name))
    .map(({ id }) => ({ data: { projectId: db.projectId, destinationId: id }, key: id }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  // Only saves time: the poll finds due messages without a job.
  if (deliveries.length > 0) await queue.enqueueAll(db, deliveryJob, deliveries)
  return true
}

function claimedMessage(
  { id, payload, kind, eventType }: WholeMessage & { id: string },
  token: string,
): ClaimedMessage {
  return { id, payload, hasResult: false, kind, eventType, attempt: 0, scheduleFrom: 0, token }
}
