import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Issue, UnacceptableInput } from '../../../kernel/http/index.ts'
import { lockConnection } from '../../accounts/connections/index.ts'
import { assertImplemented } from './capability.ts'
import { asConflict } from './conflict.ts'
import { type ConfigContent, normalizeContent } from './content.ts'
import { effectiveReadObjects } from './effective.ts'
import { fittingConnection } from './fitting-connection.ts'
import { refreshHealth } from './health.ts'
import { InstallationBusy, InstallationNotFound } from './problems.ts'
import { readRules } from './read-rules.ts'
import type { InstallationRecord } from './resource.ts'
import { objectsToSample } from './sample-read.ts'
import { insertConfig, lockInstallation, updateInstallationRow } from './store.ts'
import { type InstallationServices, type Trial, tryConfig } from './try-config.ts'
import { contentIssues } from './validate-content.ts'

/** The requested changes of an installation. Absent properties stay as they are. */
export interface Change {
  connectionId?: string
  content?: ConfigContent
  createdBy?: string
}

/**
 * Changes an installation. Computes the change from the stored content, validates it, and saves it. Starts again from
 * the beginning if another request changed the installation meanwhile.
 *
 * @param change pure; throws a problem when it cannot be applied
 * @param refuse makes the problem for a config that the integration does not allow
 */
export async function changeInstallation(
  db: ProjectDb,
  services: InstallationServices,
  find: () => Promise<InstallationRecord | undefined>,
  change: (installation: InstallationRecord) => Change,
  call: Trial & { createdBy: string; refuse?: (issues: Issue[]) => Error; mayPrepare?: boolean },
): Promise<string> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = await find()
    if (!before) throw new InstallationNotFound()
    const wanted = change(before)
    const prepared = await prepareChange(db, services, before, wanted, call)
    const saved = await saveChange(db, services, before, prepared)
    if (saved) return before.id
  }
  throw new InstallationBusy()
}

interface PreparedChange {
  connectionId: string | undefined
  config: { content: ConfigContent; createdBy: string } | undefined
}

async function prepareChange(
  db: ProjectDb,
  services: InstallationServices,
  before: InstallationRecord,
  change: Change,
  call: Parameters<typeof changeInstallation>[4],
): Promise<PreparedChange> {
  const { groupRef, provider } = before
  const content = normalizeContent(change.content ?? before.content)
  // Objects that a deploy removed but that are still read can be changed too.
  const objects = [...(before.integration.read?.objects ?? []), ...before.removedReadObjects]
  const integration = { ...before.integration, ...(objects.length > 0 && { read: { objects } }) }
  const issues = contentIssues(integration, content, readRules(services, integration), { before: before.content })
  const connection =
    change.connectionId === undefined
      ? undefined
      : await fittingConnection(
          db,
          {
            provider,
            groupRef,
            connectionId: change.connectionId,
            name: 'installation.connectionId',
          },
          issues,
        )
  const moved = connection !== undefined && connection.connection_id !== before.connectionId
  if (issues.length > 0) throw call.refuse?.(issues) ?? new UnacceptableInput({ issues })

  const reads = effectiveReadObjects({ ...before, content })
  const readsBefore = effectiveReadObjects(before)
  // A patch may prepare the config of an action that this release does not support yet.
  if (call.mayPrepare !== true)
    assertImplemented(
      services.catalogue.find(provider),
      before.integration,
      { content, reads },
      { content: before.content, reads: readsBefore },
    )
  if (!call.skipSampling) {
    const samples = objectsToSample(reads, moved ? undefined : readsBefore)
    await tryConfig(db, services, connection?.connection_id ?? before.connectionId, before.module, samples, call.signal)
  }
  const isNewConfig = change.content !== undefined || change.createdBy !== undefined
  return {
    connectionId: moved ? connection.connection_id : undefined,
    config: isNewConfig ? { content, createdBy: change.createdBy ?? call.createdBy } : undefined,
  }
}

/** Saves a change. Returns false if the installation was changed since it was read. */
async function saveChange(
  db: ProjectDb,
  services: InstallationServices,
  before: InstallationRecord,
  { connectionId, config }: PreparedChange,
): Promise<boolean> {
  const { id, integrationId, groupRef } = before
  try {
    return await db.transaction(async (tx) => {
      const current = await lockInstallation(tx, id)
      if (!current) throw new InstallationNotFound()
      if (current.configId !== before.configId || current.connectionId !== before.connectionId) return false
      const configId = config && services.newId()
      if (config && configId) await insertConfig(tx, { id: configId, installationId: id, ...config })
      await updateInstallationRow(tx, id, { configId, connectionId })
      if (connectionId !== undefined) {
        // A change of its status that did not see this installation commits first.
        await lockConnection(tx, connectionId)
        await refreshHealth(tx, { installationId: id })
      }
      await services.hooks.installationChanged(tx, {
        installationId: id,
        kind: 'updated',
        ...(configId !== undefined && { previousConfigId: before.configId }),
        ...(connectionId !== undefined && { isMoved: true }),
      })
      return true
    })
  } catch (error) {
    throw await asConflict(db, error, { integrationId, groupRef, connectionId: connectionId ?? before.connectionId })
  }
}
