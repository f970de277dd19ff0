import { sql } from 'kysely'
import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { keepLeases, type Lease, LeaseLost, publishDue } from '../../../../kernel/work/index.ts'
import {
  effectiveReadObjects,
  findInstallations,
  type InstallationRecord,
  lockInstallation,
} from '../../../integrations/installations/index.ts'
import { findDestinationById } from '../../../messaging/destinations/index.ts'
import { beginOperations } from '../../../platform/operations/index.ts'
import type { ReadServices } from '../read-services.ts'
import { insertRuns, type NewRun } from '../run-store.ts'
import { storedRunsLoop } from '../stored-runs-loop.ts'
import {
  countResendRuns,
  endDeletedReads,
  insertResendReads,
  listInstallationsToRead,
  listWaitingReads,
  outcomeOfReads,
  type ResendObject,
  startResendReads,
} from './resend-read-store.ts'
import { lockOpenResends, type ResendRow } from './resend-store.ts'

/** Number of reads of all resends of a project at a time. */
const readsMax = 4
/** Number of further reads that may wait after an error of their provider, so that one does not keep the others. */
const retryingMax = 16
/** Number of installations that one step lists. */
const listedPerStep = 200
/** Interval of steps while no read ends: for runs that were deleted, and destinations that were enabled. */
const stepMs = 5_000

const noLongerRead = 'The installation no longer reads this object to the destination.'

/** Runs the next step of a resend, in one transaction. A step that dies is done again. */
export async function continueResend(
  services: ReadServices,
  lease: Lease<ResendRow>,
  signal: AbortSignal,
): Promise<'more' | undefined> {
  const db = services.database.forProject(lease.row.project_id)
  try {
    return await keepLeases(db, [lease], signal, () => db.transaction((tx) => step(tx, services, lease)))
  } catch (error) {
    if (error instanceof LeaseLost || signal.aborted) return undefined
    throw error
  }
}

/**
 * Runs one step. Locks the open resends of the project, then installations: a transaction that has locked an
 * installation must not lock a resend.
 */
async function step(tx: ProjectDb, services: ReadServices, lease: Lease<ResendRow>): Promise<'more' | undefined> {
  await lockOpenResends(tx)
  const row = await lease.lock(tx)
  const destination = await findDestinationById(tx, row.destination_id)
  if (!destination) throw lease.lose()
  if (!row.is_listed) {
    await listReads(tx, lease, row, destination.name)
    return 'more'
  }
  await endDeletedReads(tx, row.destination_id, noLongerRead)
  if (destination.disabled_time !== null) {
    await lease.postpone(tx, { ms: stepMs, isFailure: false })
    return undefined
  }
  const { active, retrying } = await countResendRuns(tx)
  const free = retrying > retryingMax ? 0 : readsMax - active
  const waiting = free > 0 ? await listWaitingReads(tx, row.destination_id, free) : []
  const failed = await startReads(tx, services, row.destination_id, waiting)
  const { isOpen, hasFailed } = await outcomeOfReads(tx, row.destination_id)
  if (!isOpen) {
    const status = hasFailed ? 'failure' : 'success'
    await lease.complete(tx, { due: null, set: sql`status = ${status}, end_time = now()` })
    return undefined
  }
  // Reads that could not start have left their share to others.
  await lease.postpone(tx, { ms: failed > 0 ? 0 : stepMs, isFailure: false })
  return failed > 0 ? 'more' : undefined
}

/** Adds the reads of the next installations, those whose objects go to the destination. */
async function listReads(
  tx: ProjectDb,
  lease: Lease<ResendRow>,
  row: ResendRow,
  destinationName: string,
): Promise<void> {
  const ids = await listInstallationsToRead(tx, {
    integrationId: row.integration_id,
    groupRef: row.group_ref,
    before: row.create_time,
    after: row.listed_to,
    limit: listedPerStep,
  })
  const installations = await findInstallations(
    tx.sql,
    ids.map((id) => ({ projectId: tx.projectId, id })),
  )
  const reads = installations.flatMap((installation) =>
    objectsTo(destinationName, installation)
      .filter(({ objectName, mapToName }) => [objectName, mapToName, undefined].includes(row.object_name ?? undefined))
      .map(({ objectName }) => ({ installationId: installation.id, objectName })),
  )
  await insertResendReads(tx, row.destination_id, reads)
  const isListed = ids.length < listedPerStep
  const last = ids.at(-1) ?? row.listed_to
  await lease.postpone(tx, {
    ms: 0,
    isFailure: false,
    set: sql`listed_to = ${last}::uuid, is_listed = ${isListed}`,
  })
}

function objectsTo(destinationName: string, installation: InstallationRecord) {
  return [...effectiveReadObjects(installation).values()].filter(
    ({ destination, disabled }) => destination === destinationName && !disabled,
  )
}

/** Starts reads that wait. Returns how many cannot start, because their installation or object was deleted. */
async function startReads(
  tx: ProjectDb,
  { newId, now }: { newId: NewId; now: () => Date },
  destinationId: string,
  waiting: ResendObject[],
): Promise<number> {
  if (waiting.length === 0) return 0
  const ids = [...new Set(waiting.map(({ installationId }) => installationId))]
  // At most `readsMax` of them, in the same order as others do.
  for (const id of ids) await lockInstallation(tx, id)
  const destination = await findDestinationById(tx, destinationId)
  const installations = await findInstallations(
    tx.sql,
    ids.map((id) => ({ projectId: tx.projectId, id })),
  )
  const started: Parameters<typeof startResendReads>[2] = []
  for (const installation of installations) {
    const names = new Set(objectsTo(destination?.name ?? '', installation).map(({ objectName }) => objectName))
    const runs = waiting
      .filter(({ installationId, objectName }) => installationId === installation.id && names.has(objectName))
      .map(({ objectName }) => resendRun(objectName, destinationId, newId(), now()))
    await beginOperations(tx, runs.map(operationOf(installation)))
    await insertRuns(tx, installation.id, runs)
    started.push(
      ...runs.map(({ objectName, operationId }) => ({ installationId: installation.id, objectName, operationId })),
    )
  }
  const isStarted = (one: ResendObject) =>
    started.some((read) => read.installationId === one.installationId && read.objectName === one.objectName)
  const failed = waiting.filter((read) => !isStarted(read)).map((read) => ({ ...read, error: noLongerRead }))
  await startResendReads(tx, destinationId, [...started, ...failed])
  if (started.length > 0) await publishDue(tx, storedRunsLoop)
  return failed.length
}

/** Returns the run of a read: everything up to now, whatever period the backfill of the object has. */
function resendRun(objectName: string, resendTo: string, operationId: string, now: Date): NewRun {
  return { operationId, objectName, kind: 'backfill', since: null, until: now, resendTo }
}

function operationOf(installation: InstallationRecord) {
  return ({ operationId, objectName, resendTo }: NewRun) => ({
    id: operationId,
    integrationId: installation.integrationId,
    installationId: installation.id,
    configId: installation.configId,
    actionType: 'read' as const,
    readType: 'backfill' as const,
    resource: objectName,
    metadata: { objects: [objectName], resendTo },
  })
}
