import type { IntegrationContent } from '@mortise/manifest'
import type { Catalogue } from '@mortise/providers'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { type ConnectionHooks, findConnection } from '../../accounts/connections/index.ts'
import { implementedBy } from './capability.ts'
import { healthStatus } from './health.ts'
import type { InstallationHooks } from './hooks.ts'
import { insertConfig, insertInstallation, listAlwaysIntegrations } from './store.ts'

/**
 * Whether an integration can be installed without asking anybody: it has objects that are always read, and each of
 * their required fields is a field of the provider, or a mapping with a default.
 */
export function installsByItself({ read }: Pick<IntegrationContent, 'read'>): boolean {
  const always = (read?.objects ?? []).filter(({ enabled }) => enabled === 'always')
  const isKnown = (object: (typeof always)[number]) =>
    (object.requiredFields ?? []).every((field) => field.fieldName !== undefined || Boolean(field.default))
  return always.length > 0 && always.every(isKnown)
}

/**
 * A new connection of a group installs the integrations of its provider that need no choices and that the group has not
 * installed. Part of the hook `connectionCreated`; nothing is sampled, because the network is never called inside a
 * transaction.
 */
export async function installAutomatically(
  tx: ProjectDb,
  { newId, hooks, catalogue }: { newId: NewId; hooks: InstallationHooks & ConnectionHooks; catalogue: Catalogue },
  change: { connectionId: string; isNew: boolean },
): Promise<void> {
  if (!change.isNew) return
  const connection = await findConnection(tx, change.connectionId)
  if (!connection) return
  const { provider, group_ref: groupRef, consumer_ref: consumerRef, status } = connection
  const entry = catalogue.find(provider)
  for (const { id: integrationId, content } of await listAlwaysIntegrations(tx, provider, groupRef)) {
    if (!implementedBy(entry, content.module)?.read || !installsByItself(content)) continue
    const id = newId()
    const configId = newId()
    const createdBy = `consumer:${consumerRef}`
    await insertInstallation(tx, {
      id,
      integrationId,
      groupRef,
      connectionId: change.connectionId,
      configId,
      createdBy,
      healthStatus: healthStatus({ connectionStatus: status, failingReads: 0 }),
    })
    await insertConfig(tx, {
      id: configId,
      installationId: id,
      content: { provider, read: { objects: {} } },
      createdBy,
    })
    await hooks.installationChanged(tx, { installationId: id, kind: 'created' })
  }
}
