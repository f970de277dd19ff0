import { createHash } from 'node:crypto'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Lease, Work } from '../../../kernel/work/index.ts'
import { type InstallationRecord, lockInstallation } from '../../integrations/installations/index.ts'
import { beginOperation } from '../../platform/operations/index.ts'
import { encryptHeaders, insertRecords } from './encrypted-records.ts'
import { runWrites, runWritesItem } from './job-references.ts'
import { batchMax, type PreparedWrite, type WriteRequest } from './model.ts'
import { insertRun, type NewWriteRun, releaseRun, type WriteRunRow, writeRuns } from './run-store.ts'

type AcceptServices = { queue: JobQueue; newId: NewId; work: Work; keyring: Keyring }

/** The installation was deleted while its write was being accepted. */
export class InstallationGone extends Error {
  override name = 'InstallationGone'
}

/** Begins the operation of a write whose caller waits for the result. */
export async function beginWriteNow(
  db: ProjectDb,
  services: AcceptServices,
  installation: InstallationRecord,
  write: PreparedWrite,
): Promise<Lease<WriteRunRow>> {
  const operationId = services.newId()
  const fence = services.newId()
  const row = await inInstallation(db, installation, async (tx) => {
    await begin(tx, installation, operationId, write)
    return insertRun(tx, { ...newRun(services, installation, operationId, write), mode: 'synchronous', fence })
  })
  return services.work.leaseOf(writeRuns, row, fence)
}

/**
 * Accepts a write: its records, its operation and the job that sends it commit together. Returns the operation.
 *
 * @throws InstallationGone
 */
export async function acceptWrite(
  db: ProjectDb,
  services: AcceptServices,
  installation: InstallationRecord,
  write: PreparedWrite,
  { retryPolicy }: Pick<WriteRequest, 'retryPolicy'>,
): Promise<string> {
  const operationId = services.newId()
  await inInstallation(db, installation, async (tx) => {
    await begin(tx, installation, operationId, write)
    await insertRun(tx, {
      ...newRun(services, installation, operationId, write),
      encryptedHeaders: encryptHeaders(tx, services, operationId, write.headers),
      retryHours: retryPolicy?.deadlineHours ?? 1,
    })
    await insertRecords(tx, services, operationId, write.records)
    await enqueue(tx, services, installation.id, write.objectName)
  })
  return operationId
}

/**
 * Accepts a write that may be batched with others of its kind. They share one operation, which is sent when it is full
 * or when its first record has waited long enough. Returns the operation.
 *
 * @throws InstallationGone
 */
export async function collectWrite(
  db: ProjectDb,
  services: AcceptServices,
  installation: InstallationRecord,
  write: PreparedWrite,
  policy: NonNullable<WriteRequest['autoBatchPolicy']>,
): Promise<string> {
  const newOperation = services.newId()
  return inInstallation(db, installation, async (tx) => {
    const { operation_id: operationId, records } = await insertRun(tx, {
      ...newRun(services, installation, newOperation, write),
      batch: true,
      encryptedHeaders: encryptHeaders(tx, services, newOperation, write.headers),
      retryHours: policy.retryDeadlineHours ?? 1,
      collect: { forMs: policy.maxDelayMinutes * 60_000, variant: variantOf(write) },
    })
    if (operationId === newOperation) await begin(tx, installation, operationId, write)
    await insertRecords(tx, services, operationId, write.records, records - 1)
    if (records >= batchMax) {
      await releaseRun(tx, operationId, services.work.now())
      await enqueue(tx, services, installation.id, write.objectName)
    }
    return operationId
  })
}

/** Runs `work` in a transaction that locks the installation against deletion. */
function inInstallation<T>(db: ProjectDb, { id }: InstallationRecord, work: (tx: ProjectDb) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    if (!(await lockInstallation(tx, id))) throw new InstallationGone()
    return work(tx)
  })
}

function begin(
  tx: ProjectDb,
  { id, integrationId, configId }: InstallationRecord,
  operationId: string,
  { objectName }: PreparedWrite,
): Promise<void> {
  return beginOperation(tx, {
    id: operationId,
    integrationId,
    installationId: id,
    configId,
    actionType: 'write',
    resource: objectName,
    metadata: { objects: [objectName] },
  })
}

function newRun(
  { work }: AcceptServices,
  installation: InstallationRecord,
  operationId: string,
  { objectName, type, batch, allOrNone, records }: PreparedWrite,
): NewWriteRun {
  return {
    operationId,
    installationId: installation.id,
    objectName,
    type,
    batch,
    allOrNone,
    mode: 'asynchronous',
    encryptedHeaders: undefined,
    records: records.length,
    retryHours: 1,
    now: work.now(),
  }
}

function enqueue(tx: ProjectDb, { queue }: AcceptServices, installationId: string, objectName: string): Promise<void> {
  const { data, key } = runWritesItem({ projectId: tx.projectId, installationId, objectName })
  return queue.enqueue(tx, runWrites, data, key)
}

/**
 * Returns a digest of what records in one request must share besides object and type: the headers that are passed on.
 */
function variantOf({ headers = {} }: PreparedWrite): Buffer {
  const entries = Object.entries(headers).toSorted(([one], [two]) => (one < two ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(entries)).digest()
}
