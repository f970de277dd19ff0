import type { IntegrationContent } from '@mortise/manifest'
import { NoConnector } from '@mortise/providers'
import type { ProjectDb } from '../../kernel/db/index.ts'
import { InvalidInput, type Issue, type Problem, UnacceptableInput } from '../../kernel/http/index.ts'
import type { Services } from '../../services.ts'
import {
  type ConnectionRow,
  deleteUnusedConnection,
  findConnection,
  findDefaultConnection,
  lockConnectionForDelete,
  openConnector,
} from '../connections/index.ts'
import { assertImplemented } from './capability.ts'
import { type ConfigContent, normaliseContent } from './content.ts'
import { type EffectiveReadObject, effectiveReadObjects } from './effective.ts'
import { healthStatus, refreshHealth } from './health.ts'
import { CapabilityNotImplemented, InstallationBusy, InstallationNotFound } from './problems.ts'
import type { InstallationRecord } from './resource.ts'
import { isScheduled, objectsToSample, sampleRead } from './sample-read.ts'
import {
  deleteInstallationRow,
  findInstallation,
  findInstallationId,
  insertConfig,
  insertInstallation,
  lockInstallation,
  updateInstallationRow,
} from './store.ts'
import { contentIssues } from './validate-content.ts'

export type InstallationServices = Pick<
  Services,
  'config' | 'newId' | 'hooks' | 'catalogue' | 'outbound' | 'keyring' | 'now'
>

export interface NewInstallation {
  integration: { id: string; content: IntegrationContent }
  groupRef: string
  /** The group's newest connection to the provider when absent. */
  connectionId: string | undefined
  content: ConfigContent
  createdBy: string
}

interface Call {
  skipSampling: boolean
  signal: AbortSignal
}

/** Installs an integration for a group. Answers the id of the installation. */
export async function install(
  db: ProjectDb,
  services: InstallationServices,
  { integration, groupRef, connectionId, content: given, createdBy }: NewInstallation,
  call: Call,
): Promise<string> {
  const { provider } = integration.content
  const connection = await connectionFor(db, { provider, groupRef, connectionId, name: 'connectionId' })
  const identity = { integrationId: integration.id, groupRef, connectionId: connection.connection_id }
  const existing = await findInstallationId(db, identity)
  if (existing !== undefined) throw installedAlready(existing)

  const content = normaliseContent(given)
  const issues = contentIssues(integration.content, content, rulesOf(services))
  if (issues.length > 0) throw new UnacceptableInput({ issues })
  const reads = effectiveReadObjects({ integration: integration.content, content })
  assertImplemented(services.catalogue.find(provider), integration.content, content, reads)
  if (!call.skipSampling)
    await trySample(
      db,
      services,
      connection.connection_id,
      integration.content.module,
      [...reads.values()].filter(isScheduled),
      call.signal,
    )

  const id = services.newId()
  const configId = services.newId()
  try {
    await db.transaction(async (tx) => {
      await insertInstallation(tx, {
        ...identity,
        id,
        configId,
        createdBy: `consumer:${connection.consumer_ref}`,
        healthStatus: healthStatus({ connectionStatus: connection.status, failingReads: 0 }),
      })
      await insertConfig(tx, { id: configId, installationId: id, content, createdBy })
      await services.hooks.installationChanged(tx, { installationId: id, kind: 'created' })
    })
  } catch (error) {
    throw await asConflict(db, error, identity)
  }
  return id
}

/** What a change of an installation asks for. Absent: stays as it is. */
export interface Change {
  connectionId?: string
  content?: ConfigContent
  createdBy?: string
}

/**
 * Changes an installation: works out the change on what is stored, tries it, and saves it when nobody else changed the installation
 * meanwhile; else it begins anew.
 *
 * @param change pure; throws problems of its own when the change cannot be made
 * @param refuse makes the problem for a config that the integration does not allow
 */
export async function changeInstallation(
  db: ProjectDb,
  services: InstallationServices,
  find: () => Promise<InstallationRecord | undefined>,
  change: (installation: InstallationRecord) => Change,
  call: Call & { createdBy: string; refuse?: (issues: Issue[]) => Error; mayPrepare?: boolean },
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
  const connection =
    change.connectionId === undefined
      ? undefined
      : await connectionFor(db, {
          provider,
          groupRef,
          connectionId: change.connectionId,
          name: 'installation.connectionId',
        })
  const moved = connection !== undefined && connection.connection_id !== before.connectionId
  const content = normaliseContent(change.content ?? before.content)
  // Objects that a deploy left out but that are still read can be changed too.
  const objects = [...(before.integration.read?.objects ?? []), ...before.removedReadObjects]
  const integration = { ...before.integration, ...(objects.length > 0 && { read: { objects } }) }
  const issues = contentIssues(integration, content, rulesOf(services), before.content)
  if (issues.length > 0) throw call.refuse?.(issues) ?? new UnacceptableInput({ issues })

  const reads = effectiveReadObjects({ ...before, content })
  // A patch may prepare the config of an action that this release cannot perform yet.
  if (call.mayPrepare !== true) assertImplemented(services.catalogue.find(provider), before.integration, content, reads)
  if (!call.skipSampling) {
    const samples = objectsToSample(reads, moved ? undefined : effectiveReadObjects(before))
    await trySample(db, services, connection?.connection_id ?? before.connectionId, before.module, samples, call.signal)
  }
  const isNewConfig = change.content !== undefined || change.createdBy !== undefined
  return {
    connectionId: moved ? connection.connection_id : undefined,
    config: isNewConfig ? { content, createdBy: change.createdBy ?? call.createdBy } : undefined,
  }
}

/** False when the installation was changed since it was looked at. */
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
      if (connectionId !== undefined) await refreshHealth(tx, { installationId: id })
      await services.hooks.installationChanged(tx, { installationId: id, kind: 'updated' })
      return true
    })
  } catch (error) {
    throw await asConflict(db, error, { integrationId, groupRef, connectionId: connectionId ?? before.connectionId })
  }
}

/** Deletes an installation; its connection too when no other installation uses it. Messages that were posted are still delivered. */
export async function uninstall(db: ProjectDb, installation: { id: string; connectionId: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await lockConnectionForDelete(tx, installation.connectionId)
    if (!(await deleteInstallationRow(tx, installation.id))) throw new InstallationNotFound()
    await deleteUnusedConnection(tx, installation.connectionId)
  })
}

/** The installation of a path; one of another integration is not found. */
export async function installationOf(
  db: ProjectDb,
  integrationId: string,
  installationId: string,
): Promise<InstallationRecord | undefined> {
  const installation = await findInstallation(db, installationId)
  return installation?.integrationId === integrationId ? installation : undefined
}

function rulesOf({ config }: Pick<Services, 'config'>) {
  return { readIntervalLeastMs: config.readIntervalLeastMs }
}

/** The named connection, else the group's newest one. @throws InvalidInput */
async function connectionFor(
  db: ProjectDb,
  wanted: { provider: string; groupRef: string; connectionId: string | undefined; name: string },
): Promise<ConnectionRow> {
  const { provider, groupRef, connectionId, name } = wanted
  if (connectionId === undefined) {
    const connection = await findDefaultConnection(db, provider, groupRef)
    if (connection) return connection
    const detail = `The group ${JSON.stringify(groupRef)} has no connection to ${provider}.`
    throw refused({
      in: 'body',
      name: 'groupRef',
      value: groupRef,
      detail,
      remedy: 'Connect an account of the group first.',
    })
  }
  const issue = { in: 'body' as const, name, value: connectionId }
  const connection = await findConnection(db, connectionId)
  if (!connection) throw refused({ ...issue, detail: 'The project has no connection of this id.' })
  if (connection.group_ref !== groupRef)
    throw refused({ ...issue, detail: `The connection belongs to another group than ${JSON.stringify(groupRef)}.` })
  if (connection.provider !== provider)
    throw new UnacceptableInput({
      issues: [
        { ...issue, detail: `The connection is to ${connection.provider}, the integration is one of ${provider}.` },
      ],
    })
  return connection
}

function refused(issue: Issue): Problem {
  return new InvalidInput({ issues: [issue] })
}

async function trySample(
  db: ProjectDb,
  services: InstallationServices,
  connectionId: string,
  module: string | undefined,
  objects: EffectiveReadObject[],
  signal: AbortSignal,
): Promise<void> {
  if (objects.length === 0) return
  try {
    const { connector } = await openConnector(db, services, connectionId, { module })
    await sampleRead(connector, objects, signal)
  } catch (error) {
    if (error instanceof NoConnector) throw new CapabilityNotImplemented({ detail: error.message, cause: error })
    throw error
  }
}

function installedAlready(installationId: string): Problem {
  return refused({
    in: 'body',
    name: 'connectionId',
    detail: `The group has installed this integration on this connection already: ${installationId}.`,
    remedy: 'Update that installation instead.',
    context: { installationId },
  })
}

/** What the database's refusals mean: somebody else installed the same (23505), or deleted what the installation stands on (23503). */
async function asConflict(
  db: ProjectDb,
  error: unknown,
  identity: Parameters<typeof findInstallationId>[1],
): Promise<unknown> {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code === '23505') return installedAlready((await findInstallationId(db, identity)) ?? '')
  if (code === '23503')
    return refused({
      in: 'body',
      name: 'connectionId',
      detail: 'The connection or the integration was deleted meanwhile.',
    })
  return error
}
