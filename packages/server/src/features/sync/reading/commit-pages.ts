import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Lease } from '../../../kernel/work/index.ts'
import {
  cutDataMessages,
  type DataMessageHeader,
  messageBytesMax,
  postMessages,
  postMessagesWith,
} from '../../messaging/messages/index.ts'
import { logOperation, progressOperation } from '../../platform/operations/index.ts'
import { addDelivered } from './deletion-checks/id-store.ts'
import type { ReadRun } from './model.ts'
import { bufferPages } from './on-request/buffer-pages.ts'
import type { OpenRead } from './open-read.ts'
import type { PageLog } from './page-log.ts'
import type { StreamedPage } from './page-stream.ts'
import type { ReadServices } from './read-services.ts'
import { advanceRun, advancingRun, noteWait, type ReadRunRow, type RunProgress } from './run-store.ts'

/** Interval at which a running operation updates its progress. A reader wants seconds, not commits. */
const progressEveryMs = 2_000
/** Objects whose messages have few records may have many messages in a page. */
const messagesPerStatement = 1_000
const shown = new WeakMap<ReadRun, number>()

/** Pages to commit, and the run that has read them. */
interface CommittedPages {
  db: ProjectDb
  services: ReadServices
  run: ReadRun
  lease: Lease<ReadRunRow>
  read: OpenRead
  pages: StreamedPage[]
  log: PageLog
}

/**
 * Commits pages together: their messages, the position at which the read resumes, and the counts. Returns how many
 * records the run has read so far. When the object is delivered on request, the messages are buffered instead of
 * posted.
 *
 * @throws LeaseLost when another worker has taken over the run
 */
export async function commitPages(work: CommittedPages): Promise<number> {
  const { db, services, run, read, pages, log } = work
  const messagesOf = messageCutter(read, run)
  const byPage = pages.map(messagesOf)
  const messages = byPage.flat()
  const records = pages.reduce((sum, page) => sum + page.entries.length, 0)
  const total = run.records + records
  const estimated = pages.find((page) => page.total !== undefined)?.total
  // The last page leaves the position of the run at that page. If the process dies before the run has ended, the run
  // reads only that page again.
  const next = pages.at(-1)?.nextPage ?? pages.at(-2)?.nextPage ?? run.page
  const count = pages.filter(({ waitMs }) => waitMs === undefined).length
  const progress = { page: next ?? null, pages: count, records, estimated: estimated ?? null }
  const isWait = records === 0 && pages.every(({ waitMs }) => waitMs !== undefined)
  if (isWait) await noteWait(db, work.lease, progress.page)
  else await store(work, progress, messages)
  for (const [index, page] of pages.entries()) log.add(page, byPage[index]?.length ?? 0)
  const now = performance.now()
  if (now - (shown.get(run) ?? 0) >= progressEveryMs) {
    shown.set(run, now)
    await progressOperation(db, {
      installationId: read.installationId,
      objectName: read.objectName,
      operationId: run.operationId,
      recordsProcessed: total,
      ...(estimated !== undefined && { recordsEstimatedTotal: estimated }),
    })
    await logOperation(db, services, run.operationId, ...log.take())
  }
  run.page = next
  run.records = total
  if (!isWait) run.attempt = 0
  run.firstErrorAt = undefined
  services.metrics.recordsRead.inc({ kind: run.kind }, records)
  const { installationId, objectName } = read
  services.counts.add({ projectId: db.projectId, installationId, objectName }, { recordsRead: records })
  return total
}

/** Stores the progress of a run and its messages: in one statement, as a rule. */
async function store(
  { db, services, lease, read, pages }: CommittedPages,
  progress: RunProgress,
  messages: PageMessage[],
): Promise<void> {
  if (messages.length === 0) return advanceRun(db, lease, progress)
  if (
    !read.keepsIds &&
    !read.onRequest &&
    messages.length <= messagesPerStatement &&
    messages.every(({ result }) => !result)
  ) {
    const posted = { destinationName: read.destination, messages }
    if (!(await postMessagesWith(db, services, advancingRun(db, lease, progress), posted))) throw lease.lose()
    return
  }
  await db.transaction(async (tx) => {
    await advanceRun(tx, lease, progress)
    await keepIds(tx, services, read, pages)
    // Last, because it waits for other transactions that post to the same destination.
    await postPages(tx, services, read, messages)
  })
}

/** Stores the ids of delivered records, if the object is compared with what the provider still has. */
export async function keepIds(
  tx: ProjectDb,
  services: ReadServices,
  read: OpenRead,
  pages: readonly StreamedPage[],
): Promise<void> {
  if (!read.keepsIds) return
  const ids = pages.flatMap((page) => page.ids ?? [])
  await addDelivered(tx, services, read, ids)
}

type PageMessage = ReturnType<ReturnType<typeof messageCutter>>[number]

/** Returns what cuts a page of a read into messages. */
export function messageCutter(read: OpenRead, run: Pick<ReadRun, 'operationId' | 'kind' | 'createTime'>) {
  const header: DataMessageHeader = {
    ...read.header,
    operationId: run.operationId,
    operationTime: run.createTime.toISOString(),
    readType: run.kind,
  }
  // One message per page: records that the provider returned together stay together, up to the limits.
  const limits = { messageBytesMax, ...(read.recordsMax !== undefined && { recordsMax: read.recordsMax }) }
  const of = {
    destinationName: read.destination,
    kind: 'read' as const,
    installationId: read.installationId,
    operationId: run.operationId,
    objectName: read.objectName,
  }
  return ({ entries }: StreamedPage) =>
    entries.length === 0 ? [] : cutDataMessages(header, entries, limits).map((message) => ({ ...message, ...of }))
}

/** Posts messages of a read, or buffers them if the object is delivered on request. Call it last in a transaction. */
export async function postPages(
  tx: ProjectDb,
  services: ReadServices,
  read: OpenRead,
  messages: PageMessage[],
): Promise<void> {
  if (messages.length === 0) return
  if (read.onRequest) await bufferPages(tx, services, read, messages)
  else await postMessages(tx, services, messages)
}
