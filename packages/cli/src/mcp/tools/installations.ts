import { z } from 'zod'
import { defined } from '../../resources/defined.ts'
import { cursor, optional, paging, text } from '../inputs.ts'
import { pageResult, thingResult } from '../results.ts'
import { tool } from '../tool.ts'
import { type ShownConnection, statusOfConnection } from './connections.ts'

export const listInstallations = tool({
  name: 'list_installations',
  title: 'List installations',
  description: 'Lists who has installed which integration, and whether it works. Without their configs.',
  effect: 'read',
  input: z.strictObject({
    integration: optional('id or name of the integration'),
    group: optional('your ref of the group (the customer)'),
    health: z.enum(['healthy', 'unhealthy']).optional().describe('only those that work, or that do not'),
    ...paging,
  }),
  run: async ({ integration, group, health, limit, cursor: pageToken }, { connect, signal }) => {
    const mortise = await connect()
    const query = defined({ integrationId: integration, groupRef: group, healthStatus: health })
    return await pageResult(async (pageSize) => {
      const page = await mortise.page('listInstallationsForProject', { query }, { signal, pageSize, pageToken })
      const rows = page.items.map(({ connection, config: _, group: { groupRef, groupName }, ...shown }) => ({
        ...shown,
        group: { groupRef, groupName },
        provider: connection.provider,
        connectionId: connection.id,
      }))
      return { rows, next: page.nextPageToken }
    }, limit)
  },
})

export const getInstallation = tool({
  name: 'get_installation',
  title: 'Get an installation',
  description: 'Shows an installation with its config, its health and the status of its connection.',
  effect: 'read',
  input: z.strictObject({
    integration: text('id or name of the integration'),
    installation: text('id of the installation'),
    cursor,
  }),
  run: async ({ integration: integrationId, installation: installationId, cursor: from }, { connect, signal }) => {
    const mortise = await connect()
    const { connection, ...shown } = await mortise.getInstallation({ integrationId, installationId }, { signal })
    const status: ShownConnection = statusOfConnection(connection)
    return thingResult({ ...shown, connection: status }, from)
  },
})
