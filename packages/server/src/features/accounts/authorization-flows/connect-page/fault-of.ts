import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { findConnection } from '../../connections/index.ts'
import { outcomeText } from '../outcome-text.ts'

/** Returns what is wrong with a connection whose credential was checked; undefined if the credential may be valid. */
export async function faultOf(db: ProjectDb, connectionId: string, displayName: string): Promise<string | undefined> {
  const row = await findConnection(db, connectionId)
  const outcome = row && outcomeText(row, displayName)
  return outcome === undefined || outcome.isGood ? undefined : outcome.text
}
