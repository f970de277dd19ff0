import { type Static, Type } from 'typebox'
import { named, Path, ProjectPath, Ref, Timestamp } from '../../../kernel/http/index.ts'
import type { DestinationConnectionRow } from './connection-store.ts'

export const DestinationConnection = named(
  'DestinationConnection',
  Type.Object({
    connectionId: Type.String({ description: 'Id of the connection.' }),
    groupRef: Type.String({ description: 'Your id of the group that the connection belongs to.' }),
    provider: Type.String({ description: 'Name of the provider of the connection.' }),
    destinationName: Type.String({
      description: 'Name of the destination that gets its messages. If it was deleted, they wait for the name.',
    }),
    createTime: Timestamp,
    updateTime: Type.Optional(Timestamp),
  }),
)

export const destinationConnectionPath = Path({ ...ProjectPath.properties, destination: Ref, connectionId: Ref })

export function destinationConnection(row: DestinationConnectionRow): Static<typeof DestinationConnection> {
  return {
    connectionId: row.connection_id,
    groupRef: row.group_ref,
    provider: row.provider,
    destinationName: row.target_name,
    createTime: row.create_time,
    ...(row.update_time && { updateTime: row.update_time }),
  }
}
