import { isId, type ProjectDb } from '../../../kernel/db/index.ts'
import { findDestination } from '../destinations/index.ts'

/** Returns the id of a destination that exists, or of a deleted one: its messages still have its id. */
export async function destinationIdOf(db: ProjectDb, idOrName: string): Promise<string | undefined> {
  const found = await findDestination(db, idOrName)
  return found?.id ?? (isId(idOrName) ? idOrName : undefined)
}
