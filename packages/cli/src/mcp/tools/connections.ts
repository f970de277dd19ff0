import type { Output } from '@mortise/client'
import { z } from 'zod'
import { defined } from '../../resources/defined.ts'
import { cursor, optional, paging, text } from '../inputs.ts'
import { pageResult, thingResult } from '../results.ts'
import { tool } from '../tool.ts'

type Connection = Output<'getConnection'>
export type ShownConnection = ReturnType<typeof statusOfConnection>

/** What is shown of a connection. Each field is named: a credential that a later release adds is not shown. */
export function statusOfConnection({
  id,
  provider,
  status,
  authScheme,
  lastCheck,
  tokenInfo,
  group,
  consumer,
  providerWorkspaceRef,
  createTime,
  updateTime,
}: Connection) {
  return {
    id,
    provider,
    status,
    authScheme,
    lastCheck,
    tokenInfo,
    group: { groupRef: group?.groupRef, groupName: group?.groupName },
    consumer: { consumerRef: consumer?.consumerRef },
    providerWorkspaceRef,
    createTime,
    updateTime,
  }
}

export const listConnections = tool({
  name: 'list_connections',
  title: 'List connections',
  description: 'Lists connected accounts of customers with their status, never with credentials.',
  effect: 'read',
  input: z.strictObject({
    provider: optional('name of the provider'),
    group: optional('your ref of the group (the customer)'),
    consumer: optional('your ref of the person who connected'),
    status: z.enum(['created', 'working', 'bad_credentials']).optional(),
    ...paging,
  }),
  run: async ({ provider, group, consumer, status, limit, cursor: pageToken }, { connect, signal }) => {
    const mortise = await connect()
    const query = defined({ provider, groupRef: group, consumerRef: consumer, status })
    return await pageResult(async (pageSize) => {
      const page = await mortise.page('listConnections', { query }, { signal, pageSize, pageToken })
      return { rows: page.items.map(statusOfConnection), next: page.nextPageToken }
    }, limit)
  },
})

export const getConnection = tool({
  name: 'get_connection',
  title: 'Get a connection',
  description: 'Shows the status of a connection, its last check and the scopes of its token, never the credential.',
  effect: 'read',
  input: z.strictObject({ connection: text('id of the connection'), cursor }),
  run: async ({ connection: connectionId, cursor: from }, { connect, signal }) => {
    const mortise = await connect()
    const found = await mortise.getConnection({ connectionId, query: { includeTokenInfo: true } }, { signal })
    return thingResult(statusOfConnection(found), from)
  },
})
