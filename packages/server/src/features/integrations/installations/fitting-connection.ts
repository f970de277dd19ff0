import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Issue, UnacceptableInput } from '../../../kernel/http/index.ts'
import { type ConnectionRow, findConnection, findDefaultConnection } from '../../accounts/connections/index.ts'
import { refused } from './problems.ts'

/**
 * Returns the named connection, otherwise the newest one of the group.
 *
 * @param others other issues of the request, reported together with those of the connection
 * @throws InvalidInput, UnacceptableInput
 */
export async function fittingConnection(
  db: ProjectDb,
  wanted: {
    provider: string
    groupRef: string
    connectionId: string | undefined
    name: string
  },
  others: Issue[] = [],
): Promise<ConnectionRow> {
  const { provider, groupRef, connectionId, name } = wanted
  if (connectionId === undefined) {
    const connection = await findDefaultConnection(db, provider, groupRef)
    if (connection) return connection
    const detail = `The group ${JSON.stringify(groupRef)} has no connection to ${provider}.`
    throw refused(
      { in: 'body', name: 'groupRef', value: groupRef, detail, remedy: 'Connect an account of the group first.' },
      ...others,
    )
  }
  const issue = { in: 'body' as const, name, value: connectionId }
  const connection = await findConnection(db, connectionId)
  // A caller for this group must not learn whether another group has it.
  if (connection?.group_ref !== groupRef)
    throw refused(
      { ...issue, detail: `The group ${JSON.stringify(groupRef)} has no connection of this id.` },
      ...others,
    )
  assertProvider(connection, provider, issue, others)
  return connection
}

/** @throws UnacceptableInput if the connection is to another provider than the integration */
export function assertProvider(
  connection: Pick<ConnectionRow, 'provider'>,
  provider: string,
  issue: Pick<Issue, 'in' | 'name' | 'value'>,
  others: Issue[],
): void {
  if (connection.provider === provider) return
  const detail = `The connection is to ${connection.provider}, the integration is one of ${provider}.`
  throw new UnacceptableInput({ issues: [{ ...issue, detail }, ...others] })
}
