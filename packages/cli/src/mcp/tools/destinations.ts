import type { Output } from '@mortise/client'
import { z } from 'zod'
import { cursor, paging, text } from '../inputs.ts'
import { pageResult, thingResult } from '../results.ts'
import { tool } from '../tool.ts'

type Destination = Output<'getDestination'>

/** What is shown of a destination. `endpoint` says where messages go; settings may have tokens in URLs and headers. */
function shownDestination(destination: Omit<Destination, 'secrets'>) {
  const { metadata: _, ...shown } = destination
  return 'secrets' in shown ? { ...shown, secrets: undefined } : shown
}

export const listDestinations = tool({
  name: 'list_destinations',
  title: 'List destinations',
  description: 'Lists destinations with their type, endpoint, status and number of dead letters. Without secrets.',
  effect: 'read',
  input: z.strictObject(paging),
  run: async ({ limit, cursor: pageToken }, { connect, signal }) => {
    const mortise = await connect()
    return await pageResult(async (pageSize) => {
      const page = await mortise.page('listDestinations', {}, { signal, pageSize, pageToken })
      return { rows: page.items.map(shownDestination), next: page.nextPageToken }
    }, limit)
  },
})

export const getDestination = tool({
  name: 'get_destination',
  title: 'Get a destination',
  description: 'Shows a destination with its status and failures. Without secrets.',
  effect: 'read',
  input: z.strictObject({ destination: text('id or name of the destination'), cursor }),
  run: async ({ destination, cursor: from }, { connect, signal }) =>
    thingResult(shownDestination(await (await connect()).getDestination({ destination }, { signal })), from),
})
