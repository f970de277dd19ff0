import { nextTick } from '@mortise/manifest'
import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { keepLeases, type Lease, LeaseLost, type Work } from '../../../kernel/work/index.ts'
import {
  effectiveReadObjects,
  findInstallation,
  type InstallationRecord,
  lockInstallation,
} from '../../integrations/installations/index.ts'
import { type DataMessageHeader, type PostingServices, postMessages } from '../../messaging/messages/index.ts'
import { type Described, type DescribeServices, describeObjects } from '../../provider-calls/object-metadata/index.ts'
import { countChanges, diffFields, watchedFields } from './diff-fields.ts'
import { retryDelayMs, type WatchedField } from './model.ts'
import { claimWatches, failWatch, insertChange, settleWatch, type WatchRow } from './store.ts'
import { syncSchemaWatch } from './sync.ts'
import { enabledChanges, watchMessage } from './watch-message.ts'

export type CheckServices = DescribeServices & PostingServices & { database: Database; work: Work }

/**
 * Number of objects that are described before the results are stored. A job that dies in between requests as many
 * again.
 */
const atOnce = 8

/**
 * Checks the fields of the due objects of an installation. Settles each object in a separate transaction: the new
 * fields, the changes since the last check, and the message about them.
 */
export async function checkInstallation(
  { projectId, installationId }: { projectId: string; installationId: string },
  services: CheckServices,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const db = services.database.forProject(projectId)
  for (;;) {
    const leases = await claimWatches(db, services.work, installationId, atOnce)
    if (leases.length === 0) return
    try {
      await keepLeases(db, leases, signal, (signal) =>
        checkWatches({ db, services, installationId, signal, log }, leases),
      )
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

interface CheckContext {
  db: ProjectDb
  services: CheckServices
  installationId: string
  /** Aborts when the job must end or all leases are lost. */
  signal: AbortSignal
  log: Logger
}

async function checkWatches(context: CheckContext, leases: Lease<WatchRow>[]): Promise<void> {
  const { db, services, installationId, signal } = context
  const installation = await findInstallation(db, installationId)
  // The watches are deleted with the installation.
  if (!installation) throw new LeaseLost()
  if (!installation.integration.watchSchema) {
    // A deploy removed the key, and its job has not processed this installation yet.
    await db.transaction((tx) => syncSchemaWatch(tx, services, installationId))
    return
  }
  const names = leases.map(({ row }) => row.object_name)
  const target = { connectionId: installation.connectionId, module: installation.module }
  const isRefused = installation.row.status === 'bad_credentials'
  const found = isRefused ? undefined : await describeObjects(db, services, target, names, signal)
  signal.throwIfAborted()
  for (const lease of leases) {
    const described = found ? found.get(lease.row.object_name) : refused
    try {
      await db.transaction((tx) => settle(tx, context, { installation, lease, described: described ?? notDescribed }))
    } catch (error) {
      // Another worker has this watch by now; the others are still ours.
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

/** Reported without a request: the provider has refused this credential. */
const refused = 'The provider refused the credential of the connection.'
const notDescribed = 'The provider did not describe the object.'

interface Look {
  installation: InstallationRecord
  lease: Lease<WatchRow>
  described: Described | string
}

async function settle(tx: ProjectDb, { services, log }: CheckContext, look: Look): Promise<void> {
  const { installation, lease, described } = look
  const { id: installationId, connectionId, module } = installation
  // Deploys and config changes lock the installation before they change its watches.
  if (!(await lockInstallation(tx, installationId))) throw lease.lose()
  const watch = await lease.lock(tx)
  const { object_name: objectName } = watch
  const now = services.now()
  // Later than its due time, even if the clock of this node is behind: no tick is checked twice.
  const tick = nextTick(watch.schedule, lease.row.next_check_at > now ? lease.row.next_check_at : now)
  const failed = (error: string, next = tick) => failWatch(tx, lease, { error, next })

  if (typeof described === 'string') return failed(described)
  if ('failure' in described) {
    const { scope, problem } = described.failure
    log.info({ installationId, objectName, err: problem }, 'failed to check the fields of an object')
    // An error that an early retry cannot fix waits for the next tick.
    if (scope !== 'provider') return failed(problem.message)
    const retry = problem.occurrence.retryAfter ?? later(now, retryDelayMs(watch.failure_count + 1, Math.random()))
    return failed(problem.message, retry < tick ? retry : tick)
  }
  const seen = { fields: watchedFields(described.metadata.fields), incomplete: described.incomplete === true }
  // An object never loses all of its fields: a response without any is a failure in disguise.
  if (seen.fields.length === 0 && !seen.incomplete)
    return failed('The provider described the object without any field.')

  const { declaration } = described
  const comparable =
    watch.connection_id === connectionId &&
    (watch.module ?? undefined) === module &&
    (watch.declaration ?? undefined) === declaration
  const known = comparable ? watch.fields : null
  const { changes, remembered } = known
    ? diffFields(known, seen)
    : { changes: undefined, remembered: seen.fields as WatchedField[] }
  const isChange = changes !== undefined && countChanges(changes) > 0
  const snapshot = { connectionId, module, declaration, fields: remembered }
  const isNew = known === null || JSON.stringify(known) !== JSON.stringify(remembered)
  await settleWatch(tx, lease, {
    checkTime: now,
    next: tick,
    snapshot: isNew ? snapshot : undefined,
  })
  if (!isChange) return
  await insertChange(tx, { id: services.newId(), installationId, objectName, createTime: now, ...changes })
  const watchSchema = installation.integration.watchSchema
  const message = watchSchema && watchMessage(headerOf(installation, objectName), enabledChanges(changes, watchSchema))
  if (message)
    await postMessages(tx, services, [
      { ...message, destinationName: watchSchema.destination, kind: 'schema.watch', installationId, objectName },
    ])
}

function headerOf(installation: InstallationRecord, objectName: string): DataMessageHeader {
  const { row } = installation
  return {
    action: 'schema.watch',
    projectId: installation.projectId,
    provider: installation.provider,
    groupRef: installation.groupRef,
    groupName: installation.groupName,
    consumerRef: installation.consumerRef,
    consumerName: installation.consumerName,
    installationId: installation.id,
    installationUpdateTime: (installation.updateTime ?? installation.createTime).toISOString(),
    objectName: effectiveReadObjects(installation).get(objectName)?.mapToName ?? objectName,
    rawObjectName: objectName,
    ...(row.provider_workspace_ref != null && { workspace: row.provider_workspace_ref }),
  }
}

function later(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms)
}
