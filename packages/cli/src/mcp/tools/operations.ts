import { z } from 'zod'
import { defined } from '../../resources/defined.ts'
import { cursor, optional, paging, period, periodQuery, text } from '../inputs.ts'
import { pageResult, rowsResult, thingResult } from '../results.ts'
import { tool } from '../tool.ts'

export const listOperations = tool({
  name: 'list_operations',
  title: 'List operations',
  description: 'Lists reads, writes and other operations, the newest first, with status and result.',
  effect: 'read',
  input: z.strictObject({
    integration: optional('id or name of the integration'),
    installation: optional('id of the installation'),
    group: optional('your ref of the group (the customer)'),
    object: optional('the provider’s name of the object'),
    status: z.enum(['in_progress', 'success', 'failure']).optional(),
    action: z.enum(['read', 'write', 'subscribe', 'proxy']).optional(),
    ...period,
    ...paging,
  }),
  run: async (input, { connect, signal }) => {
    const mortise = await connect()
    const query = defined({
      integrationId: input.integration,
      installationId: input.installation,
      groupRef: input.group,
      objectName: input.object,
      status: input.status,
      actionType: input.action,
      ...periodQuery(input),
    })
    return await pageResult(async (pageSize) => {
      const options = { signal, pageSize, pageToken: input.cursor }
      const page = await mortise.page('searchOperations', { query }, options)
      const rows = page.items.map(({ metadata: _, configId: _config, projectId: _project, ...shown }) => shown)
      return { rows, next: page.nextPageToken }
    }, input.limit)
  },
})

export const getOperation = tool({
  name: 'get_operation',
  title: 'Get an operation',
  description: 'Shows an operation with its status, result and progress.',
  effect: 'read',
  input: z.strictObject({ operation: text('id of the operation'), cursor }),
  run: async ({ operation: operationId, cursor: from }, { connect, signal }) =>
    thingResult(await (await connect()).getOperation({ operationId }, { signal }), from),
})

export const listOperationLogs = tool({
  name: 'list_operation_logs',
  title: 'List the log of an operation',
  description:
    'Shows the log of an operation, the oldest line first. Errors have the words of the provider, which can quote values of records.',
  effect: 'read',
  input: z.strictObject({
    operation: text('id of the operation'),
    severity: z
      .enum(['DEBUG', 'INFO', 'WARNING', 'ERROR'])
      .default('INFO')
      .describe('lines of this severity or higher; DEBUG has each page and its request'),
    cursor,
  }),
  run: async ({ operation: operationId, severity, cursor: from }, { connect, signal }) =>
    rowsResult(await (await connect()).listOperationLogs({ operationId, query: { severity } }, { signal }), from),
})
