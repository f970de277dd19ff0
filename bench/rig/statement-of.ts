import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { ProjectDb, Tables } from '../../packages/server/src/kernel/db/index.ts'
import { createProjectDb } from '../../packages/server/src/kernel/db/project-db.ts'
import type { BareList } from './bare-list.ts'

/** The one statement that `run` sends, as the driver gets it. @throws when it sends none or several */
export async function statementOf(
  address: BareList['address'],
  projectId: string,
  run: (db: ProjectDb) => Promise<unknown>,
): Promise<{ text: string; values: unknown[] }> {
  const sent: { text: string; values: unknown[] }[] = []
  const pool = new pg.Pool({ ...address, options: '-c search_path=mortise -c role=mortise_app', max: 1 })
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push({ text: query.sql, values: [...query.parameters] }),
  })
  try {
    await run(createProjectDb(db, projectId))
  } finally {
    await db.destroy()
  }
  const [statement] = sent
  if (!statement || sent.length > 1) throw new Error(`one statement was expected, ${sent.length} were sent`)
  return statement
}
