import type { ProjectDb } from '../../../kernel/db/index.ts'
import { findConnection } from '../../connections/index.ts'

/** What to say of a connection whose credential was checked and is not good. */
export async function refusalOf(db: ProjectDb, connectionId: string, displayName: string): Promise<string | undefined> {
  const row = await findConnection(db, connectionId)
  if (row?.status !== 'bad_credentials') return undefined
  return `${displayName} refused this credential. Check it, and try again.`
}
