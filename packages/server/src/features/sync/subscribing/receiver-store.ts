import { sql } from 'kysely'
import { isId, type ProjectDb } from '../../../kernel/db/index.ts'

export interface ReceiverRow {
  integrationId: string
  provider: string
  /** The connection of the installation. */
  connectionId: string | null
  providerAppId: string | null
  /** Of the connection of the installation. */
  providerMetadata: Record<string, unknown> | null
}

/** The integration, by id or name, that events come for; with an installation, only where that one subscribes. */
export async function findReceiver(
  db: ProjectDb,
  { integrationId, installationId }: { integrationId: string; installationId?: string },
): Promise<ReceiverRow | undefined> {
  if (!isId(db.projectId) || (installationId !== undefined && !isId(installationId))) return undefined
  const isNamed = sql`(n.id::text = lower(${integrationId}) or n.name = ${integrationId})`
  const { rows } = await (installationId === undefined
    ? sql<ReceiverRow>`
        select n.id as "integrationId", n.provider, null as "connectionId", null as "providerAppId", null as "providerMetadata"
        from integrations n where n.project_id = ${db.projectId} and ${isNamed}
        order by n.name = ${integrationId} limit 1`
    : sql<ReceiverRow>`
        select n.id as "integrationId", n.provider, c.id as "connectionId", c.provider_app_id as "providerAppId",
          c.provider_metadata as "providerMetadata"
        from subscriptions s
        join installations i on i.project_id = s.project_id and i.id = s.installation_id
        join connections c on c.project_id = i.project_id and c.id = i.connection_id
        join integrations n on n.project_id = i.project_id and n.id = i.integration_id
        where s.project_id = ${db.projectId} and s.installation_id = ${installationId} and ${isNamed}`
  ).execute(db.sql)
  return rows[0]
}
