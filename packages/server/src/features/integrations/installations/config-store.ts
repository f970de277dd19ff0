import { sql } from 'kysely'
import { andIf, type ProjectDb } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'
import type { ConfigContent } from './content.ts'

export interface ConfigVersionRow {
  id: string
  version: number
  revisionId: string
  createTime: Date
  createdBy: string
  content: ConfigContent
}

/** Lists the versions of an installation's config, newest first; those below the version `after` when it is defined. */
export async function listConfigVersions(
  db: ProjectDb,
  installationId: string,
  { after, limit }: PageBounds,
): Promise<ConfigVersionRow[]> {
  const { rows } = await sql<ConfigVersionRow>`
    select id, version, revision_id as "revisionId", create_time as "createTime", created_by as "createdBy", content
      from configs
     where project_id = ${db.projectId} and installation_id = ${installationId}
       ${andIf(after, (version) => sql`version < ${version}::integer`)}
     order by version desc limit ${limit ?? null}`.execute(db.sql)
  return rows
}
