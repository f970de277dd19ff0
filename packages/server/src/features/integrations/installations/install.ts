import type { IntegrationContent } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { UnacceptableInput } from '../../../kernel/http/index.ts'
import { lockConnection } from '../../accounts/connections/index.ts'
import { assertImplemented } from './capability.ts'
import { asConflict, installedAlready } from './conflict.ts'
import { type ConfigContent, normalizeContent } from './content.ts'
import { effectiveReadObjects } from './effective.ts'
import { fittingConnection } from './fitting-connection.ts'
import { healthStatus } from './health.ts'
import { readRules } from './read-rules.ts'
import { isScheduled } from './sample-read.ts'
import { findInstallationId, insertConfig, insertInstallation } from './store.ts'
import { type InstallationServices, type Trial, tryConfig } from './try-config.ts'
import { contentIssues } from './validate-content.ts'

export interface NewInstallation {
  integration: { id: string; content: IntegrationContent }
  groupRef: string
  /** The group's newest connection to the provider when absent. */
  connectionId: string | undefined
  content: ConfigContent
  createdBy: string
}

/** Installs an integration for a group. Returns the id of the installation. */
export async function install(
  db: ProjectDb,
  services: InstallationServices,
  { integration, groupRef, connectionId, content: input, createdBy }: NewInstallation,
  call: Trial,
): Promise<string> {
  const { provider } = integration.content
  const content = normalizeContent(input)
  const issues = contentIssues(integration.content, content, readRules(services, integration.content))
  const wanted = { provider, groupRef, connectionId, name: 'connectionId' }
  const connection = await fittingConnection(db, wanted, issues)
  const identity = { integrationId: integration.id, groupRef, connectionId: connection.connection_id }
  const existing = await findInstallationId(db, identity)
  if (existing !== undefined) throw installedAlready(existing)

  if (issues.length > 0) throw new UnacceptableInput({ issues })
  const reads = effectiveReadObjects({ integration: integration.content, content })
  assertImplemented(services.catalogue.find(provider), integration.content, { content, reads })
  if (!call.skipSampling)
    await tryConfig(
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
      // A change of its status did not see this installation. It commits first, so that health and reads follow it.
      await lockConnection(tx, identity.connectionId)
      await insertConfig(tx, { id: configId, installationId: id, content, createdBy })
      await services.hooks.installationChanged(tx, { installationId: id, kind: 'created' })
    })
  } catch (error) {
    throw await asConflict(db, error, identity)
  }
  return id
}
