import { type Static, Type } from 'typebox'
import { named, Timestamp } from '../../../kernel/http/index.ts'
import type { AgentSessionRow } from './session-store.ts'

const text = (description: string) => Type.String({ description })

export const AgentSession = named(
  'AgentSession',
  Type.Object(
    {
      id: text('Id of the session.'),
      clientName: text('What the client calls itself; the agent of its calls in logs.'),
      clientId: text('Id of the registration, or address of the metadata document of the client.'),
      groupRef: text('Your id of the group whose tools the client has.'),
      consumerRef: text('Your id of the person who signed in.'),
      createTime: { ...Timestamp, description: 'When the person signed in.' },
      refreshTime: Type.Optional({ ...Timestamp, description: 'When the client last got new tokens.' }),
      expireTime: {
        ...Timestamp,
        description: 'When the session ends if the client gets no new tokens: after 30 days, or 90 days in all.',
      },
    },
    { description: 'A client that a consumer signed in to the MCP server.' },
  ),
)

export function sessionResource(row: AgentSessionRow): Static<typeof AgentSession> {
  return {
    id: row.id,
    clientName: row.client_name,
    clientId: row.client_id,
    groupRef: row.group_ref ?? '',
    consumerRef: row.consumer_ref ?? '',
    createTime: row.create_time,
    ...(row.refresh_time && { refreshTime: row.refresh_time }),
    expireTime: row.expire_time,
  }
}
