import type { Item } from '@mortise/client'
import { all, resource, timeText } from './resource.ts'

export const destinations = resource<Item<'listDestinations'>>({
  name: 'destinations',
  one: 'destination',
  columns: [
    ['Name', ({ name }) => name],
    ['Type', ({ type }) => type],
    ['Endpoint', ({ endpoint }) => endpoint],
    ['Status', ({ status }) => status],
    ['Dead letters', ({ deadLetterCount }) => deadLetterCount],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => all(mortise.listDestinations({}, { signal })) },
  get: {
    secrets: true,
    read: ({ mortise, signal, secrets = false }, destination) =>
      mortise.getDestination({ destination, query: { includeSecrets: secrets } }, { signal }),
  },
  delete: { run: ({ mortise, signal }, destination) => mortise.deleteDestination({ destination }, { signal }) },
})
