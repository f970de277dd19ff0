import { z } from 'zod'
import { cursor, paging, text } from '../inputs.ts'
import { pageResult, thingResult } from '../results.ts'
import { tool } from '../tool.ts'

export const listIntegrations = tool({
  name: 'list_integrations',
  title: 'List integrations',
  description: 'Lists the integrations of the project, without their content.',
  effect: 'read',
  input: z.strictObject(paging),
  run: async ({ limit, cursor: pageToken }, { connect, signal }) => {
    const mortise = await connect()
    return await pageResult(async (pageSize) => {
      const page = await mortise.page('listIntegrations', {}, { signal, pageSize, pageToken })
      const rows = page.items.map(({ id, name, provider, latestRevision, createTime, updateTime }) => ({
        id,
        name,
        provider,
        revisionId: latestRevision.id,
        createTime,
        updateTime,
      }))
      return { rows, next: page.nextPageToken }
    }, limit)
  },
})

export const getIntegration = tool({
  name: 'get_integration',
  title: 'Get an integration',
  description: 'Shows an integration with the content of its latest revision, as it was deployed.',
  effect: 'read',
  input: z.strictObject({ integration: text('id or name of the integration'), cursor }),
  run: async ({ integration: integrationIdOrName, cursor: from }, { connect, signal }) =>
    thingResult(await (await connect()).getIntegration({ integrationIdOrName }, { signal }), from),
})
