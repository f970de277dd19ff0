import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import { deliveryJob } from '../destinations/index.ts'
import type { NewMessage } from './data-message.ts'
import type { MessageShares } from './message-shares.ts'
import { insertMessageResults, insertMessages, type MessageCopy, type MessageToInsert } from './message-store.ts'

/** PostgreSQL takes 65,535 parameters in one statement, and a message has twelve. */
const messagesPerStatement = 5_000

export interface PostingServices {
  queue: JobQueue
  newId: NewId
  messageShares: MessageShares
  counts: CountBuffer
}

/** Gives each message an id, and its order time among those of its installation. */
export function toInsert<Message extends NewMessage>(
  messages: readonly Message[],
  { newId, messageShares }: Pick<PostingServices, 'newId' | 'messageShares'>,
): (Message & MessageToInsert)[] {
  return messages.map((message) => ({
    id: newId(),
    ...(message.installationId !== undefined && { aheadMs: messageShares.ahead(message.installationId) }),
    ...message,
  }))
}

/** Counts posted messages. Those of no installation are not counted. */
export function countPosted(
  { projectId }: Pick<ProjectDb, 'projectId'>,
  { counts }: Pick<PostingServices, 'counts'>,
  messages: readonly NewMessage[],
): void {
  for (const { installationId, objectName = '' } of messages)
    if (installationId !== undefined) counts.add({ projectId, installationId, objectName }, { messagesPosted: 1 })
}

/** The results of messages, with the ids of all that are stored of each. */
function resultsOf<Message extends MessageToInsert>(rows: readonly Message[], copies: readonly MessageCopy<Message>[]) {
  const copiesOf = Map.groupBy(copies, ({ of }) => of)
  return rows.flatMap((row) =>
    row.result === undefined
      ? []
      : [{ ids: [row.id, ...(copiesOf.get(row) ?? []).map(({ id }) => id)], body: row.result }],
  )
}

/** The destinations that a transaction has posted to so far. */
const postedTo = new WeakMap<ProjectDb, Set<string>>()

/**
 * Posts messages in the caller's transaction: they exist when it commits, and are then delivered at least once.
 *
 * If two transactions post to one destination at the same time, the second waits until the first commits. It waits at
 * its very end, and locks all of its destinations in the same order as others do. So two transactions never deadlock,
 * however often each of them posts.
 */
export async function postMessages(tx: ProjectDb, services: PostingServices, messages: NewMessage[]): Promise<void> {
  const open = postedTo.get(tx) ?? new Set<string>()
  const copied: NewMessage[] = []
  for (let from = 0; from < messages.length; from += messagesPerStatement) {
    const rows = toInsert(messages.slice(from, from + messagesPerStatement), services)
    const inserted = await insertMessages(tx, rows)
    for (const id of inserted.open) open.add(id)
    const results = resultsOf(rows, inserted.copies)
    if (results.length > 0) await insertMessageResults(tx, results)
    copied.push(...inserted.copies.map(({ of }) => of))
  }
  tx.beforeCommit(async () => countPosted(tx, services, [...messages, ...copied]))
  if (postedTo.has(tx) || open.size === 0) return
  postedTo.set(tx, open)
  tx.beforeCommit(async () => {
    const deliveries = [...open].sort().map((destinationId) => ({
      data: { projectId: tx.projectId, destinationId },
      key: destinationId,
    }))
    await services.queue.enqueueAll(tx, deliveryJob, deliveries)
  })
}
