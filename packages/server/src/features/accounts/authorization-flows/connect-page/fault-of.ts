import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { providerWordsOf } from '../../../provider-calls/calls/index.ts'
import { type ConnectionRow, findConnection } from '../../connections/index.ts'
import { outcomeText } from '../outcome-text.ts'

/** Why a credential does not work: the provider refused it, or could not be reached. */
export interface CredentialFault {
  kind: 'refused' | 'unreachable'
  /** All of it, for a page that says nothing else. */
  text: string
  /** Only the reason. */
  reason: string | undefined
  /** What the provider said, in its own words. */
  words?: string
}

/** Returns what is wrong with a connection whose credential was checked; undefined if the credential may be valid. */
export async function faultOf(
  db: ProjectDb,
  connectionId: string,
  displayName: string,
): Promise<CredentialFault | undefined> {
  const row = await findConnection(db, connectionId)
  return row && faultOfRow(row, displayName)
}

export function faultOfRow(
  row: Pick<ConnectionRow, 'status' | 'check_outcome' | 'check_reason'>,
  displayName: string,
): CredentialFault | undefined {
  const { isGood, text } = outcomeText(row, displayName)
  if (isGood) return undefined
  const words = row.check_reason === null ? undefined : providerWordsOf(row.check_reason)
  return {
    kind: row.check_outcome === 'unreachable' && row.status !== 'bad_credentials' ? 'unreachable' : 'refused',
    text,
    reason: row.check_reason ?? undefined,
    ...(words !== undefined && { words }),
  }
}
