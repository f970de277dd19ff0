import { sql } from 'kysely'
import { isId, type ProjectDb } from '../../../kernel/db/index.ts'
import { publish, topic } from '../../../kernel/pubsub/index.ts'
import { setRateLimitedUntil } from '../../accounts/connections/index.ts'

/** The target that a request to the proxy names: an installation, or a group's newest one of an integration. */
export type TargetName = { installationId: string } | { integration: string; groupRef: string }

/** The stored target of a request: installation, connection and settings. */
export interface TargetRow {
  installationId: string
  integrationId: string
  connectionId: string
  configId: string
  groupRef: string
  provider: string
  module: string | null
  /** The manifest's `proxy`. */
  proxy: { enabled?: boolean; useModule?: boolean } | null
  /** The config's `proxy.enabled`. */
  allowed: boolean | null
}

export async function findTarget(db: ProjectDb, name: TargetName): Promise<TargetRow | undefined> {
  if ('installationId' in name && !isId(name.installationId)) return undefined
  const which =
    'installationId' in name
      ? sql`i.id = ${name.installationId}`
      : sql`i.integration_id = (select id from integrations where project_id = ${db.projectId}
               and (id::text = lower(${name.integration}) or name = ${name.integration}) order by name = ${name.integration} desc limit 1)
            and i.group_ref = ${name.groupRef}`
  const { rows } = await sql<TargetRow>`
    select i.id as "installationId", i.integration_id as "integrationId", i.connection_id as "connectionId",
      i.config_id as "configId", i.group_ref as "groupRef", n.provider, r.content ->> 'module' as module,
      r.content -> 'proxy' as proxy, (f.content -> 'proxy' ->> 'enabled')::boolean as allowed
    from installations i
    join configs f on f.project_id = i.project_id and f.id = i.config_id
    join integrations n on n.project_id = i.project_id and n.id = i.integration_id
    join revisions r on r.project_id = n.project_id and r.id = n.latest_revision_id
    where i.project_id = ${db.projectId} and ${which}
    order by i.id desc limit 1`.execute(db.sql)
  return rows[0]
}

/** An installation or integration has changed, or a connection's provider has sent `Retry-After`. */
export type ProxyChange = { changedId: string } | { connectionId: string; waitUntil: Date }

/** The proxies of all nodes subscribe to it. Triggers publish changes, too (migration 0045). */
export const proxyTopic = topic<ProxyChange>('proxying', {
  format: (change) =>
    'changedId' in change ? change.changedId : `wait:${change.connectionId}:${change.waitUntil.getTime()}`,
  parse(text) {
    const [what, connectionId, until] = text.split(':')
    if (what !== 'wait') return { changedId: text }
    return connectionId === undefined ? undefined : { connectionId, waitUntil: new Date(Number(until)) }
  },
})

/** Stores the wait that a provider requested, and notifies the other nodes; never shortens an earlier wait. */
export async function rememberWait(db: ProjectDb, connectionId: string, until: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await setRateLimitedUntil(tx, connectionId, until)
    await publish(proxyTopic, [{ connectionId, waitUntil: until }]).execute(tx.sql)
  })
}
