import type { ProjectDb } from '../../kernel/db/index.ts'
import { UnacceptableInput } from '../../kernel/http/index.ts'
import { type ConnectionRow, findConnection, findDefaultConnection } from '../connections/index.ts'
import { refused } from './problems.ts'

/** The named connection, else the group's newest one. @throws InvalidInput */
export async function fittingConnection(
  db: ProjectDb,
  wanted: { provider: string; groupRef: string; connectionId: string | undefined; name: string },
): Promise<ConnectionRow> {
  const { provider, groupRef, connectionId, name } = wanted
  if (connectionId === undefined) {
    const connection = await findDefaultConnection(db, provider, groupRef)
    if (connection) return connection
    const detail = `The group ${JSON.stringify(groupRef)} has no connection to ${provider}.`
    throw refused({
      in: 'body',
      name: 'groupRef',
      value: groupRef,
      detail,
      remedy: 'Connect an account of the group first.',
    })
  }
  const issue = { in: 'body' as const, name, value: connectionId }
  const connection = await findConnection(db, connectionId)
  if (!connection) throw refused({ ...issue, detail: 'The project has no connection of this id.' })
  if (connection.group_ref !== groupRef)
    throw refused({ ...issue, detail: `The connection belongs to another group than ${JSON.stringify(groupRef)}.` })
  if (connection.provider !== provider)
    throw new UnacceptableInput({
      issues: [
        { ...issue, detail: `The connection is to ${connection.provider}, the integration is one of ${provider}.` },
      ],
    })
  return connection
}
