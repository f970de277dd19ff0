import { nextTick } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { Services } from '../../../services.ts'
import {
  effectiveReadObjects,
  findInstallation,
  type InstallationRecord,
  lockInstallation,
} from '../../integrations/installations/index.ts'
import { type DataMessageHeader, postMessages } from '../../messaging/messages/index.ts'
import { type Described, type DescribeServices, describeObjects } from '../../provider-calls/object-metadata/index.ts'
import { countChanges, diffFields, watchedFields } from './diff-fields.ts'
import { leaseMs, retryDelayMs, type WatchedField } from './model.ts'
import { failWatch, insertChange, lockWatch, settleWatch, takeWatches } from './store.ts'
import { syncSchemaWatch } from './sync.ts'
import { enabledChanges, watchMessage } from './watch-message.ts'

export type CheckServices = DescribeServices & Pick<Services, 'database' | 'queue' | 'newId'>

/** Objects that are described before what was found is stored: a job that dies in between asks for so many again. */
const atOnce = 8

/**
 * Looks at the fields of the objects that were claimed, and settles each by itself: what was seen, what changed since,
 * and the message that tells it are one transaction.
 */
export async function checkInstallation(
  { projectId, installationId }: { projectId: string; installationId: string },
  services: CheckServices,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const db = services.database.forProject(projectId)
  const fence = services.newId()
  const taken = await takeWatches(db, installationId, { fence, until: later(services.now(), leaseMs) })
  if (taken.length === 0) return
  const installation = await findInstallation(db, installationId)
  if (!installation) return
  if (!installation.integration.watchSchema) {
    // A deploy took the key away, and the job that follows from it has not come to this installation yet.
    await db.transaction((tx) => syncSchemaWatch(tx, services, installationId))
    return
  }
  const look = { services, installation, fence, log }
  for (let from = 0; from < taken.length; from += atOnce) {
    signal.throwIfAborted()
    const names = taken.slice(from, from + atOnce).map(({ objectName }) => objectName)
    const place = { connectionId: installation.connectionId, module: installation.module }
    const found =
      installation.row.status === 'bad_credentials'
        ? new Map(names.map((name) => [name, refused]))
        : await describeObjects(db, services, place, names, signal)
    for (const [objectName, described] of found) {
      await db.transaction((tx) => settle(tx, look, objectName, described))
    }
  }
}

/** The provider is not asked with a credential that it refused. */
const refused = 'The provider refused the credential of the connection.'

interface Look {
  services: CheckServices
  installation: InstallationRecord
  fence: string
  log: Logger
}

async function settle(tx: ProjectDb, look: Look, objectName: string, described: Described | string): Promise<void> {
  const { services, installation, fence, log } = look
  const { id: installationId, connectionId, module } = installation
  if (!(await lockInstallation(tx, installationId))) return
  const watch = await lockWatch(tx, installationId, objectName, fence)
  if (!watch) return
  const now = services.now()
  const tick = nextTick(watch.schedule, now)
  const failed = (error: string, next = tick) => failWatch(tx, installationId, objectName, { error, next })

  if (typeof described === 'string') return failed(described)
  if ('failure' in described) {
    const { scope, problem } = described.failure
    log.info({ installationId, objectName, err: problem }, 'failed to check the fields of an object')
    // What asking again soon cannot mend waits for its next turn.
    if (scope !== 'provider') return failed(problem.message)
    const retry = problem.occurrence.retryAfter ?? later(now, retryDelayMs(watch.failureCount + 1, Math.random()))
    return failed(problem.message, retry < tick ? retry : tick)
  }
  const seen = { fields: watchedFields(described.metadata.fields), incomplete: described.incomplete === true }
  // No object loses all of its fields: an answer without any is a failure in disguise.
  if (seen.fields.length === 0 && !seen.incomplete)
    return failed('The provider described the object without any field.')

  const { declaration } = described
  const comparable =
    watch.connectionId === connectionId &&
    (watch.module ?? undefined) === module &&
    (watch.declaration ?? undefined) === declaration
  const known = comparable ? watch.fields : null
  const { changes, remembered } = known
    ? diffFields(known, seen)
    : { changes: undefined, remembered: seen.fields as WatchedField[] }
  const isChange = changes !== undefined && countChanges(changes) > 0
  const snapshot = { connectionId, module, declaration, fields: remembered }
  const isNew = known === null || JSON.stringify(known) !== JSON.stringify(remembered)
  await settleWatch(tx, installationId, objectName, {
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
      { ...message, destinationName: watchSchema.destination, kind: 'schema.watch', installationId },
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
